; What travels with a node as a sibling of it; annotations are a part of their declaration.

; @within: as in java/attached.scm.
(annotation) @within

; A row of stars is no doc, nor is an empty comment. Of several docs with blank lines between, only the last
; is about what follows.
((block_comment) @attached.none (#starts-with? @attached.none "/***" "/**/"))
((block_comment) @attached.doc (#starts-with? @attached.doc "/**") (#set! group "last"))

; The grammar puts the comments behind a body without braces into it, and the colon before it too.
((comment) @loose (#set! begins "//"))
((block_comment) @loose (#set! begins "/*"))
(template_body ":" @unseen)
(enum_body ":" @unseen)

; What Scala CLI reads.
((comment) @file (#match? @file "^//>[ \\t]*using\\b"))
