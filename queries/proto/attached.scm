; What moves with a node. Comments directly above a definition ("touching": no blank line between them), or
; after it on the same line, are its doc comments.

((comment) @attached.doc (#set! touching "lines"))
