; What moves with a node as its sibling. Annotations are part of their declaration.

; @within: see java/attached.scm.
(annotation) @within

; If blank lines separate several doc comments, only the last one belongs to the following node.
([(documentation_comment) (documentation_block_comment)] @attached.doc (#set! group "last"))

; The language version, and the diagnostics that the analyzer ignores in the whole file.
((comment) @file (#match? @file "^//[ \\t]*(?:@dart[ \\t]*=[ \\t]*[0-9]|ignore_for_file:)"))
