; What moves with a node. The grammar ends a pair with the comment that follows it on the same line, and a
; table with all comments before the next header. Here, the former follows its pair, and comments directly
; above a header belong to the header (@loose).

((comment) @loose (#set! begins "#"))

; @file: the schema for the language server.
((comment) @file (#match? @file "^#:(?:schema|tombi)\\b"))
