; What travels with a node as a sibling of it; attributes are a part of their declaration.

; @within: as in java/attached.scm.
(attribute) @within

(statement_label) @attached.label

((comment) @attached.doc (#starts-with? @attached.doc "///"))
((multiline_comment) @attached.doc (#starts-with? @attached.doc "/**"))
