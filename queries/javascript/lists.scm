; Lists: what sets their members apart belongs to the list; an insertion adds it, a deletion takes
; it out. Settings are those of rust/lists.scm, and
;   other      another token that may stand between two members
;   optional   members on "lines" of their own need no separator: they have it as the others do
;   inside     "none": it is no inside of what holds it

([(arguments) (formal_parameters) (array_pattern)] @list)
([(array) (object) (object_pattern) (named_imports) (export_clause)] @list (#set! trailing "lines"))
([(lexical_declaration) (variable_declaration)] @list (#set! empty "goes") (#set! inside "none"))
([(import_clause) (sequence_expression)] @list (#set! inside "none"))
((class_body) @list (#set! separator ";") (#set! optional "lines") (#set! opens "lines"))

; Members that need no separator behind them.
(class_body [(method_definition) (class_static_block)] @unseparated)

; What may end with a semicolon or do without: in its place comes what ends as it did.
[(break_statement) (continue_statement) (debugger_statement) (do_statement) (export_statement)
 (expression_statement) (import_statement) (return_statement) (throw_statement)
 (lexical_declaration) (variable_declaration)] @ended
