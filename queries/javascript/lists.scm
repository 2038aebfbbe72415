; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm. More settings:
;   other      another token that may separate two members
;   optional   members on "lines" of their own need no separator: they have one if the others do
;   inside     "none": the list is not the body of its parent

([(arguments) (formal_parameters) (array_pattern)] @list)
([(array) (object) (object_pattern) (named_imports) (export_clause)] @list (#set! trailing "lines"))
([(lexical_declaration) (variable_declaration)] @list (#set! empty "goes") (#set! inside "none"))
([(import_clause) (sequence_expression)] @list (#set! inside "none"))
((class_body) @list (#set! separator ";") (#set! optional "lines") (#set! opens "lines"))

; Members that need no separator after them.
(class_body [(method_definition) (class_static_block)] @unseparated)

; @ended: such a node may end with a semicolon or without one. Its replacement ends in the same way.
[(break_statement) (continue_statement) (debugger_statement) (do_statement) (export_statement)
 (expression_statement) (import_statement) (return_statement) (throw_statement)
 (lexical_declaration) (variable_declaration)] @ended
