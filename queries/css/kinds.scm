; General words (docs/pointing.md) for the node types of tree-sitter-css 0.25.0.

(declaration) @property
[(rule_set) (media_statement) (supports_statement) (scope_statement) (keyframes_statement)
 (import_statement) (charset_statement) (namespace_statement) (at_rule)] @item
[(rule_set) (media_statement) (supports_statement) (scope_statement) (keyframes_statement)
 (import_statement) (charset_statement) (namespace_statement) (at_rule) (declaration)] @statement
(import_statement) @import
[(block) (keyframe_block_list)] @block
[(comment) (js_comment)] @comment
(string_value) @string
(call_expression) @call
(arguments (_) @argument)
(selectors (_) @element)
(keyframe_block) @element
[(selectors) (arguments) (grid_value)] @list
[(plain_value) (color_value) (integer_value) (float_value) (string_value) (grid_value)
 (binary_expression) (parenthesized_value) (call_expression)] @expression
[(rule_set) (media_statement) (supports_statement) (scope_statement) (keyframes_statement)
 (keyframe_block) (import_statement) (charset_statement) (namespace_statement) (at_rule)] @rule
(declaration (property_name) @key)

; @value: the value of a pair, which content without a key replaces.
(declaration [(plain_value) (color_value) (integer_value) (float_value) (string_value) (grid_value)
  (binary_expression) (parenthesized_value) (call_expression)] @value)
