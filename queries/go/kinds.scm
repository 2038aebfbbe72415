; General words (docs/pointing.md) for the node types of tree-sitter-go 0.25.0. For a declaration that may be
; in a group (`const`, `type`, `var`), they mean its spec: the keyword is attached to the spec (attached.scm).

[(function_declaration) (method_declaration)] @function
[(method_declaration) (method_elem)] @method
(type_spec type: [(struct_type) (interface_type)]) @class
(type_spec type: (struct_type)) @struct
(type_spec type: (interface_type)) @interface
[(_simple_type) (parenthesized_type) (type_spec) (type_alias)] @type
[(var_spec) (const_spec) (short_var_declaration)] @variable
[(field_declaration) (keyed_element)] @field
[(parameter_declaration) (variadic_parameter_declaration) (type_parameter_declaration)] @parameter
(argument_list (_) @argument)
(type_arguments (_) @argument)
(_statement) @statement
(_expression) @expression
[(block) (field_declaration_list)] @block
(call_expression) @call
[(import_spec) (import_declaration)] @import
(comment) @comment
[(interpreted_string_literal) (raw_string_literal) (rune_literal)] @string
(keyed_element) @property
(literal_value (_) @element)
[(function_declaration) (method_declaration) (type_declaration) (const_declaration)
 (var_declaration) (import_declaration)] @item
[(argument_list) (parameter_list) (type_arguments) (type_parameter_list) (literal_value)
 (expression_list) (import_spec_list)] @list
[(expression_case) (type_case) (communication_case) (default_case)] @case
(keyed_element key: (_) @key)
