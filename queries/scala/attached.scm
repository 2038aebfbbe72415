; What travels with a node as a sibling of it; annotations are a part of their declaration.

; @within: as in java/attached.scm.
(annotation) @within

((block_comment) @attached.doc (#starts-with? @attached.doc "/**"))

; The grammar puts the comments behind a body without braces into it, and the colon before it too.
((comment) @loose (#set! begins "//"))
((block_comment) @loose (#set! begins "/*"))
(template_body ":" @unseen)
(enum_body ":" @unseen)
