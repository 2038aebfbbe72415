; Lists: what sets their members apart belongs to the list; an insertion adds it, a deletion takes
; it out. An empty one opens as the list it is a member of.

([(array) (object)] @list (#set! opens "around"))
