; What travels with a node: the docs of roxygen, which touch what they belong to (no blank line between).

((comment) @attached.doc (#starts-with? @attached.doc "#'") (#set! touching "lines"))
