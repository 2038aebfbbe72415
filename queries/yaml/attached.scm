; What travels with a node. The grammar puts comments into the innermost block before them, and
; those above a first pair or item before its block; where people see them is told by their column
; and by what they touch.

((comment) @loose (#set! begins "#"))

; What the language server reads.
((comment) @file (#match? @file "^#[ \\t]*yaml-language-server:"))
