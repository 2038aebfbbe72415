; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; An empty argument is an argument, so there is no trailing comma.

[(arguments) (parameters)] @list

; A line break or a `;` separates statements. The grammar has no node for the `;`.
([(program) (braced_expression)] @list (#set! separator ";") (#set! or "lines") (#set! opens "lines"))

; @separator: the grammar has a named node for the comma.
(comma) @separator
