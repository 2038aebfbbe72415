; What moves with a node as its sibling. Annotations are part of their declaration.

; @within: such a node is attached to the node that contains it.
[(marker_annotation) (annotation)] @within

; A comment that starts with `/***` is not a doc comment, nor is an empty comment. If blank lines separate
; several doc comments, only the last one belongs to the following node.
((block_comment) @attached.none (#starts-with? @attached.none "/***" "/**/"))
((block_comment) @attached.doc (#starts-with? @attached.doc "/**") (#set! group "last"))
