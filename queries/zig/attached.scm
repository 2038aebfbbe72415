; What travels with a node. Docs touch what they belong to (no blank line between).

((comment) @attached.doc (#starts-with? @attached.doc "///") (#set! touching "lines"))
