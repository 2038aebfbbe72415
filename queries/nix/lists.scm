; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; The last formal may have a trailing comma.

((formals) @list (#set! trailing "lines"))

; The members of a @row are on one line, with only spaces between them.
(inherited_attrs) @row
