; Lists: what sets their members apart belongs to the list; an insertion adds it, a deletion takes
; it out. Settings: see queries/rust/lists.scm.

[(arguments) (parameters)] @list
((table_constructor) @list (#set! other ";") (#set! trailing "lines"))
([(variable_list) (expression_list)] @list (#set! inside "none"))
(variable_list (attribute) @frame)

; A line break parts statements, and a `;` may.
([(chunk) (block)] @list (#set! separator ";") (#set! or "lines") (#set! opens "lines"))

; The grammar takes the sign for a statement.
(empty_statement) @separator
