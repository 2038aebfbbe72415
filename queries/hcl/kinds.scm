; General words (docs/pointing.md) for the node types of tree-sitter-hcl 1.1.0.

(block) @block
[(block) (attribute)] @item
[(block) (attribute)] @statement
(block) @section
[(attribute) (object_elem)] @property
(attribute) @field
(expression) @expression
(tuple (_) @element)
(object (object_elem) @element)
(function_call) @call
(function_arguments (expression) @argument)
(comment) @comment
[(string_lit) (quoted_template) (heredoc_template)] @string
[(tuple) (object) (function_arguments)] @list
(attribute) @attribute
(attribute (identifier) @key)
(object_elem key: (_) @key)

; @value: the value of a pair, which content without a key replaces.
(attribute (expression) @value)
(object_elem val: (_) @value)
