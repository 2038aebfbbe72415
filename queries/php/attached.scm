; What travels with a node as a sibling of it; attributes are a part of their declaration.

((comment) @attached.doc (#starts-with? @attached.doc "/**"))
