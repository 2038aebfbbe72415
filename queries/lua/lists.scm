; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm.

[(arguments) (parameters)] @list
((table_constructor) @list (#set! other ";") (#set! trailing "lines"))
([(variable_list) (expression_list)] @list (#set! inside "none"))
(variable_list (attribute) @frame)

; A line break or a `;` separates statements.
([(chunk) (block)] @list (#set! separator ";") (#set! or "lines") (#set! opens "lines"))

; @separator: the grammar parses the `;` as a statement.
(empty_statement) @separator
