; What travels with a node. Comments right above a definition (no blank line between: "touching"),
; or behind it in its line, are its docs.

((comment) @attached.doc (#set! touching "lines"))
