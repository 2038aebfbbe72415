; What moves with a node: roxygen comments, which touch their node (no blank line between them).

((comment) @attached.doc (#starts-with? @attached.doc "#'") (#set! touching "lines"))
