; Lists: what sets their members apart belongs to the list; an insertion adds it, a deletion takes
; it out. Settings: see queries/rust/lists.scm. The `;` before keyword arguments says something of its own:
; it parts two lists in one pair of brackets.

[(argument_list) (curly_expression)] @list
((vector_expression) @list (#set! trailing "lines"))
((tuple_expression) @list (#set! trailing "lines") (#set! single "separated"))
[(export_statement) (public_statement) (import_statement) (using_statement)] @list
((open_tuple) @list (#set! inside "none"))

; What names are taken from is none of them.
(selected_import) @list
(selected_import . (_) @frame)

; The members of a @row stand side by side, with nothing but blanks between.
(matrix_row) @row
((matrix_expression) @list (#set! separator ";") (#set! or "lines"))

; A line break parts statements, and a `;` may.
([(source_file) (module_definition) (struct_definition) (function_definition) (macro_definition)
  (compound_statement) (quote_statement) (let_statement) (if_statement) (elseif_clause) (else_clause)
  (try_statement) (finally_clause) (for_statement) (while_statement) (do_clause)] @list
  (#set! separator ";") (#set! or "lines") (#set! opens "lines"))
