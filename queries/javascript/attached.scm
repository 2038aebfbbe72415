; What travels with a node. @attached.<kind>: kinds are told apart when new content brings its own.

; A row of stars is no doc, nor is an empty comment. Of several docs with blank lines between, only the last
; is about what follows.
((comment) @attached.none (#starts-with? @attached.none "/***" "/**/"))
((comment) @attached.doc (#starts-with? @attached.doc "/**") (#set! group "last"))
(decorator) @attached.decorator

; @wrapped: what its parent does but stand round, with words of its own (`export`, `const`, a
; semicolon) and what is attached. It is written, put beside others and deleted with its parent.
(export_statement declaration: (_) @wrapped)
(export_statement value: (_) @wrapped)
(expression_statement (_) @wrapped)
(lexical_declaration (variable_declarator) @wrapped)
(variable_declaration (variable_declarator) @wrapped)
