; What travels with a node. Comments right above it (no blank line between: "touching") are its docs.

((comment) @attached.doc (#set! touching "lines"))
