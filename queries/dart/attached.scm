; What travels with a node as a sibling of it; annotations are a part of their declaration.

; @within: as in java/attached.scm.
(annotation) @within

[(documentation_comment) (documentation_block_comment)] @attached.doc
