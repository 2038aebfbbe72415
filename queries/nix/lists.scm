; Lists: what sets their members apart belongs to the list; an insertion adds it, a deletion takes
; it out. Behind the last formal there may be a comma.

((formals) @list (#set! trailing "lines"))

; The members of a @row stand side by side, with nothing but blanks between.
(inherited_attrs) @row
