; Lists: what sets their members apart belongs to the list; an insertion adds it, a deletion takes
; it out.

(json_string_array) @list
