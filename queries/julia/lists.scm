; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm. The `;` before keyword arguments has a meaning of its own: it
; separates two lists in one pair of parentheses.

[(argument_list) (curly_expression)] @list
((vector_expression) @list (#set! trailing "lines"))
((tuple_expression) @list (#set! trailing "lines") (#set! single "separated"))
[(export_statement) (public_statement) (import_statement) (using_statement)] @list
((open_tuple) @list (#set! inside "none"))

; The module that names are imported from is not a member.
(selected_import) @list
(selected_import . (_) @frame)

; The members of a @row are on one line, with only spaces between them.
(matrix_row) @row
((matrix_expression) @list (#set! separator ";") (#set! or "lines"))

; A line break or a `;` separates statements.
([(source_file) (module_definition) (struct_definition) (function_definition) (macro_definition)
  (compound_statement) (quote_statement) (let_statement) (if_statement) (elseif_clause) (else_clause)
  (try_statement) (finally_clause) (for_statement) (while_statement) (do_clause)] @list
  (#set! separator ";") (#set! or "lines") (#set! opens "lines"))
