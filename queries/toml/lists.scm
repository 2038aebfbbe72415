; Lists: what sets their members apart belongs to the list; an insertion adds it, a deletion takes
; it out. An inline table has no comma behind its last pair, as most readers know no other.

((array) @list (#set! trailing "lines"))
(inline_table) @list
