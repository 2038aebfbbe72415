; What moves with a node: comments directly above it ("touching": no blank line between them).

((comment) @attached.doc (#set! touching "lines"))
