; General words (docs/pointing.md) for the node types of tree-sitter-astro-next 0.1.1 that HTML does not have.

(html_interpolation) @expression
(attribute_backtick_string) @string
