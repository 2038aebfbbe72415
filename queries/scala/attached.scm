; What moves with a node as its sibling. Annotations are part of their declaration.

; @within: see java/attached.scm.
(annotation) @within

; A comment that starts with `/***` is not a doc comment, nor is an empty comment. If blank lines separate
; several doc comments, only the last one belongs to the following node.
((block_comment) @attached.none (#starts-with? @attached.none "/***" "/**/"))
((block_comment) @attached.doc (#starts-with? @attached.doc "/**") (#set! group "last"))

; The grammar puts comments that follow a body without braces into that body (@loose), and also the colon that
; precedes it (@unseen).
((comment) @loose (#set! begins "//"))
((block_comment) @loose (#set! begins "/*"))
(template_body ":" @unseen)
(enum_body ":" @unseen)

; @file: directives for Scala CLI.
((comment) @file (#match? @file "^//>[ \\t]*using\\b"))
