; What moves with a node. Doc comments touch their node (no blank line between them).

((comment) @attached.doc (#starts-with? @attached.doc "///") (#set! touching "lines"))
