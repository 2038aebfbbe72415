; What travels with a node as a sibling of it; attributes are a part of their declaration.

; @within: as in java/attached.scm.
(attribute_group) @within

((comment) @attached.doc (#starts-with? @attached.doc "/**"))
