; General words (docs/pointing.md) for the node types of tree-sitter-swift 0.7.4, which lists no supertypes.

[(function_declaration) (init_declaration) (deinit_declaration) (subscript_declaration)
 (protocol_function_declaration)] @function
(class_body [(function_declaration) (init_declaration) (deinit_declaration)
  (subscript_declaration)] @method)
(enum_class_body (function_declaration) @method)
(protocol_body (protocol_function_declaration) @method)
(class_declaration) @class
(class_declaration declaration_kind: "struct") @struct
(class_declaration declaration_kind: "enum") @enum
(protocol_declaration) @interface
[(user_type) (optional_type) (array_type) (dictionary_type) (tuple_type) (function_type)
 (existential_type) (opaque_type) (metatype) (protocol_composition_type)
 (typealias_declaration)] @type
(property_declaration) @variable
(class_body (property_declaration) @field)
(class_body (property_declaration) @property)
(enum_entry) @field
(protocol_property_declaration) @property
[(parameter) (lambda_parameter) (type_parameter)] @parameter
(value_argument) @argument
(type_arguments (_) @argument)
(statements (_) @statement)
[(if_statement) (guard_statement) (switch_statement) (for_statement) (while_statement)
 (repeat_while_statement) (do_statement) (control_transfer_statement)] @statement
[(additive_expression) (array_literal) (as_expression) (assignment) (await_expression)
 (bitwise_operation) (boolean_literal) (call_expression) (check_expression) (comparison_expression)
 (conjunction_expression) (constructor_expression) (consume_expression) (dictionary_literal)
 (disjunction_expression) (equality_expression) (infix_expression) (integer_literal)
 (key_path_expression) (lambda_literal) (line_string_literal) (macro_invocation)
 (multi_line_string_literal) (multiplicative_expression) (navigation_expression)
 (nil_coalescing_expression) (postfix_expression) (prefix_expression) (range_expression)
 (raw_string_literal) (real_literal) (regex_literal) (selector_expression) (self_expression)
 (simple_identifier) (super_expression) (ternary_expression) (try_expression)
 (tuple_expression)] @expression
[(function_body) (class_body) (enum_class_body) (protocol_body) (statements)
 (computed_property)] @block
[(call_expression) (constructor_expression) (macro_invocation)] @call
(import_declaration) @import
[(comment) (multiline_comment)] @comment
[(line_string_literal) (multi_line_string_literal) (raw_string_literal)] @string
(array_literal (_) @element)
(tuple_expression (_) @element)
[(class_declaration) (protocol_declaration) (function_declaration) (typealias_declaration)
 (import_declaration) (macro_declaration) (operator_declaration)
 (precedence_group_declaration)] @item
[(value_arguments) (array_literal) (dictionary_literal) (tuple_expression) (type_arguments)
 (type_parameters)] @list
(switch_entry) @case
(attribute) @attribute
(dictionary_literal key: (_) @key)
