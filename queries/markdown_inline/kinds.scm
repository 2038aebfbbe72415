; The general words (design.md, section 5) for the node types of tree-sitter-md 0.5.4, inlines.

(code_span) @string
