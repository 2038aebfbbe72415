; What travels with a node. @attached.<kind>: kinds are told apart when new content brings its own.

((comment) @attached.doc (#starts-with? @attached.doc "/**"))
(decorator) @attached.decorator

; @wrapped: what its parent does but stand round, with words of its own (`export`, `const`, a
; semicolon) and what is attached. It is written, put beside others and deleted with its parent.
(export_statement declaration: (_) @wrapped)
(export_statement value: (_) @wrapped)
(expression_statement (_) @wrapped)
(lexical_declaration (variable_declarator) @wrapped)
(variable_declaration (variable_declarator) @wrapped)
