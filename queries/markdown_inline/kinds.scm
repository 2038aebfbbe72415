; General words (docs/pointing.md) for the node types of the inline grammar of tree-sitter-md 0.5.4.

(code_span) @string
