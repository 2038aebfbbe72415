; What travels with a node. @attached.<kind>: kinds are told apart when new content brings its own.

; Docs touch the node they belong to (no blank line between). `-- ^` is attached to the "preceding" node.
((haddock) @attached.doc (#starts-with? @attached.doc "-- ^" "--^" "{- ^" "{-^")
  (#set! touching "lines") (#set! attached_to "preceding"))
((haddock) @attached.doc (#set! touching "lines"))

; A type signature belongs to what follows it and "begins" with the same word. A pragma stands before what it
; is about or behind it.
((declarations (signature) @attached.signature) (#set! touching "lines") (#set! begins "same"))
((local_binds (signature) @attached.signature) (#set! touching "lines") (#set! begins "same"))
((class_declarations (signature) @attached.signature) (#set! touching "lines") (#set! begins "same"))
((instance_declarations (signature) @attached.signature) (#set! touching "lines") (#set! begins "same"))
((declarations (pragma) @attached.pragma) (#set! touching "lines") (#set! attached_to "either"))
((local_binds (pragma) @attached.pragma) (#set! touching "lines") (#set! attached_to "either"))
((instance_declarations (pragma) @attached.pragma) (#set! touching "lines") (#set! attached_to "either"))

; @wrapped: what its parent does but stand round, with its keyword.
(let (local_binds) @wrapped)

; The grammar puts comments at the end of a node behind it, and those before the first thing in it before it.
[(comment) (haddock)] @loose
