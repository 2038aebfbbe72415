; What travels with a node as a sibling of it; annotations are a part of their declaration.

; @within: as in java/attached.scm.
(annotation) @within

; Of several with blank lines between, only the last is about what follows.
([(documentation_comment) (documentation_block_comment)] @attached.doc (#set! group "last"))
