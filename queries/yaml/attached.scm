; What moves with a node. The grammar puts a comment into the innermost block that precedes it, and comments
; above the first pair or item of a block before that block. Here, the column of a comment and the nodes that
; it touches determine where it belongs (@loose).

((comment) @loose (#set! begins "#"))

; @file: settings for the language server and for yamllint.
((comment) @file (#match? @file "^#[ \\t]*(?:yaml-language-server:|yamllint[ \\t]+disable(?:-file)?(?:[ \\t]|$))"))
