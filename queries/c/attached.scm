; What moves with a node. @attached.<kind>: nodes of a kind in new content replace those of the node. A doc
; comment touches its node or follows it on the same line: `int x; /**< doc */`.

((comment) @attached.doc (#starts-with? @attached.doc "/**" "/*!" "///" "//!")
  (#set! touching "lines"))

; @file: comments about the whole file. An @opening may precede them, and so may the tokens of a @guard.
((comment) @file (#match? @file "(?m)^[ \\t]*(?:/\\*[*!]|//[/!])?[ \\t*]*[@\\\\](?:file|mainpage)\\b"))
((preproc_call) @opening (#match? @opening "^#[ \\t]*pragma[ \\t]+once\\b"))
(preproc_ifdef (preproc_def !value) @opening)
(preproc_ifdef) @guard
