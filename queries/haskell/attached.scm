; What moves with a node. @attached.<kind>: nodes of a kind in new content replace those of the node.

; Doc comments touch their node (no blank line between them). `-- ^` is attached to the "preceding" node.
((haddock) @attached.doc (#starts-with? @attached.doc "-- ^" "--^" "{- ^" "{-^")
  (#set! touching "lines") (#set! attached_to "preceding"))
((haddock) @attached.doc (#set! touching "lines"))

; A type signature is attached to the following declaration if that "begins" with the same word. A pragma
; precedes or follows its node ("either").
((declarations (signature) @attached.signature) (#set! touching "lines") (#set! begins "same"))
((local_binds (signature) @attached.signature) (#set! touching "lines") (#set! begins "same"))
((class_declarations (signature) @attached.signature) (#set! touching "lines") (#set! begins "same"))
((instance_declarations (signature) @attached.signature) (#set! touching "lines") (#set! begins "same"))
((declarations (pragma) @attached.pragma) (#set! touching "lines") (#set! attached_to "either"))
((local_binds (pragma) @attached.pragma) (#set! touching "lines") (#set! attached_to "either"))
((instance_declarations (pragma) @attached.pragma) (#set! touching "lines") (#set! attached_to "either"))

; @wrapped: the parent merely wraps the node, with a keyword.
(let (local_binds) @wrapped)

; @loose: the grammar puts a comment that ends a node after that node, and a comment that precedes the first
; child of a node before that node.
([(comment) (haddock)] @loose (#set! begins "--"))
([(comment) (haddock)] @loose (#set! begins "{-"))
