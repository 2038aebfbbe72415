; What travels with a node as a sibling of it; annotations are a part of their declaration.

; @within: as in java/attached.scm.
(annotation) @within

; Of several with blank lines between, only the last is about what follows.
([(documentation_comment) (documentation_block_comment)] @attached.doc (#set! group "last"))

; The language version, and what the analyzer leaves out in the whole file.
((comment) @file (#match? @file "^//[ \\t]*(?:@dart[ \\t]*=[ \\t]*[0-9]|ignore_for_file:)"))
