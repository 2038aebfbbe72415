; What travels with a node as a sibling of it; annotations are a part of their declaration.

((block_comment) @attached.doc (#starts-with? @attached.doc "/**"))
