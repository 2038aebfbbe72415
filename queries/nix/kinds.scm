; General words (docs/pointing.md) for the node types of tree-sitter-nix 0.3.0.

(binding expression: (function_expression)) @function
(function_expression) @function
(let_expression (binding_set (binding) @variable))
[(binding) (inherit) (inherit_from)] @field
[(binding) (inherit) (inherit_from)] @property
[(binding) (inherit) (inherit_from)] @statement
[(binding) (inherit) (inherit_from)] @item
(formal) @parameter
(function_expression universal: (_) @parameter)
(apply_expression argument: (_) @argument)
[(variable_expression) (integer_expression) (float_expression) (string_expression)
 (indented_string_expression) (path_expression) (hpath_expression) (spath_expression) (uri_expression)
 (function_expression) (assert_expression) (with_expression) (let_expression) (if_expression)
 (has_attr_expression) (unary_expression) (binary_expression) (apply_expression) (select_expression)
 (parenthesized_expression) (attrset_expression) (let_attrset_expression) (rec_attrset_expression)
 (list_expression)] @expression
[(attrset_expression) (rec_attrset_expression) (let_attrset_expression) (let_expression)] @block
(apply_expression) @call
[(inherit) (inherit_from)] @import
(comment) @comment
[(string_expression) (indented_string_expression)] @string
(list_expression element: (_) @element)
(inherited_attrs attr: (_) @element)
[(list_expression) (formals) (inherited_attrs)] @list
(binding attrpath: (_) @key)

; @value: the value of a pair, which content without a key replaces.
(binding expression: (_) @value)
