; What travels with a node as a sibling of it; annotations are a part of their declaration.

; @within: what is attached to the node that it is a part of.
[(marker_annotation) (annotation)] @within

((block_comment) @attached.doc (#starts-with? @attached.doc "/**"))
