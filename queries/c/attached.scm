; What travels with a node. @attached.<kind>: kinds are told apart when new content brings its own.
; A doc touches what it belongs to, or stands behind it in its line: `int x; /**< doc */`.

((comment) @attached.doc (#starts-with? @attached.doc "/**" "/*!" "///" "//!")
  (#set! touching "lines"))

; @file: comments about the whole file. An @opening may precede them, and so may the signs of a @guard.
((comment) @file (#match? @file "(?m)^[ \\t]*(?:/\\*[*!]|//[/!])?[ \\t*]*[@\\\\](?:file|mainpage)\\b"))
((preproc_call) @opening (#match? @opening "^#[ \\t]*pragma[ \\t]+once\\b"))
(preproc_ifdef (preproc_def !value) @opening)
(preproc_ifdef) @guard
