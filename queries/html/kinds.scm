; General words (docs/pointing.md) for the node types of tree-sitter-html 0.23.2.

[(element) (script_element) (style_element)] @element
(attribute) @property
(quoted_attribute_value) @string
(comment) @comment
(attribute) @attribute
