; Lists: what sets their members apart belongs to the list; an insertion adds it, a deletion takes
; it out. An argument that is empty is one: there is no comma behind the last.

[(arguments) (parameters)] @list

; The grammar gives the `;` between two statements no node.
([(program) (braced_expression)] @list (#set! separator ";") (#set! or "lines") (#set! opens "lines"))

; The grammar gives the sign a name.
(comma) @separator
