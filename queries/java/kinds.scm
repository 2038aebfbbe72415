; General words (docs/pointing.md) for the node types of tree-sitter-java 0.23.5.

[(method_declaration) (constructor_declaration) (compact_constructor_declaration)] @function
[(method_declaration) (constructor_declaration) (compact_constructor_declaration)
 (annotation_type_element_declaration)] @method
[(class_declaration) (record_declaration)] @class
(record_declaration) @struct
(enum_declaration) @enum
[(interface_declaration) (annotation_type_declaration)] @interface
(module_declaration) @module
[(type_identifier) (scoped_type_identifier) (generic_type) (array_type) (annotated_type)
 (integral_type) (floating_point_type) (boolean_type) (void_type)] @type
(local_variable_declaration) @variable
[(field_declaration) (constant_declaration)] @field
[(formal_parameter) (spread_parameter) (receiver_parameter) (catch_formal_parameter)
 (type_parameter)] @parameter
(inferred_parameters (_) @parameter)
(argument_list (_) @argument)
(type_arguments (_) @argument)
(annotation_argument_list (_) @argument)
[(local_variable_declaration) (expression_statement) (return_statement) (if_statement)
 (for_statement) (enhanced_for_statement) (while_statement) (do_statement) (switch_expression)
 (try_statement) (try_with_resources_statement) (throw_statement) (break_statement)
 (continue_statement) (yield_statement) (assert_statement) (labeled_statement)
 (synchronized_statement) (explicit_constructor_invocation)] @statement
[(assignment_expression) (binary_expression) (instanceof_expression) (lambda_expression)
 (ternary_expression) (update_expression) (unary_expression) (cast_expression) (switch_expression)
 (method_invocation) (object_creation_expression) (field_access) (array_access)
 (method_reference) (array_creation_expression) (parenthesized_expression) (class_literal)
 (identifier) (this) (string_literal) (character_literal) (decimal_integer_literal)
 (hex_integer_literal) (decimal_floating_point_literal) (true) (false) (null_literal)] @expression
[(block) (class_body) (interface_body) (enum_body) (annotation_type_body) (constructor_body)
 (switch_block)] @block
[(method_invocation) (object_creation_expression) (explicit_constructor_invocation)] @call
(import_declaration) @import
[(line_comment) (block_comment)] @comment
[(string_literal) (character_literal)] @string
(element_value_pair) @property
(array_initializer (_) @element)
(element_value_array_initializer (_) @element)
[(class_declaration) (record_declaration) (interface_declaration) (annotation_type_declaration)
 (enum_declaration) (module_declaration) (import_declaration) (package_declaration)] @item
[(argument_list) (formal_parameters) (inferred_parameters) (type_arguments) (type_parameters)
 (annotation_argument_list) (array_initializer) (element_value_array_initializer)
 (resource_specification)] @list
[(switch_block_statement_group) (switch_rule)] @case
[(annotation) (marker_annotation)] @attribute
(element_value_pair key: (_) @key)
