; General words (docs/pointing.md) for the node types of tree-sitter-kotlin-ng 1.1.0, which lists no
; supertypes.

[(function_declaration) (secondary_constructor) (anonymous_function)] @function
(class_body [(function_declaration) (secondary_constructor)] @method)
(enum_class_body [(function_declaration) (secondary_constructor)] @method)
[(class_declaration) (object_declaration) (companion_object)] @class
(class_declaration (enum_class_body)) @enum
(class_declaration "interface") @interface
[(user_type) (nullable_type) (non_nullable_type) (function_type) (parenthesized_type)
 (type_alias)] @type
[(property_declaration) (variable_declaration)] @variable
(class_body (property_declaration) @field)
(class_body (property_declaration) @property)
[(class_parameter) (enum_entry)] @field
[(parameter) (class_parameter) (type_parameter)] @parameter
(lambda_parameters (_) @parameter)
(value_argument) @argument
(type_arguments (_) @argument)
(block (_) @statement)
(lambda_literal (_) @statement)
((lambda_literal (lambda_parameters) @statement) (#set! is "not"))
[(for_statement) (while_statement) (do_while_statement) (assignment)] @statement
[(annotated_expression) (anonymous_function) (as_expression) (binary_expression) (call_expression)
 (callable_reference) (character_literal) (collection_literal) (float_literal) (identifier)
 (if_expression) (in_expression) (index_expression) (infix_expression) (is_expression)
 (labeled_expression) (lambda_literal) (multiline_string_literal) (navigation_expression)
 (number_literal) (object_literal) (parenthesized_expression) (range_expression)
 (return_expression) (spread_expression) (string_literal) (super_expression) (this_expression)
 (throw_expression) (try_expression) (unary_expression) (when_expression)] @expression
[(block) (class_body) (enum_class_body) (lambda_literal)] @block
[(call_expression) (constructor_invocation) (constructor_delegation_call)] @call
(import) @import
[(line_comment) (block_comment)] @comment
[(string_literal) (multiline_string_literal) (character_literal)] @string
(collection_literal (_) @element)
[(class_declaration) (object_declaration) (function_declaration) (property_declaration) (type_alias)
 (import) (package_header)] @item
[(value_arguments) (function_value_parameters) (class_parameters) (type_arguments)
 (type_parameters) (lambda_parameters) (collection_literal)] @list
(when_entry) @case
[(annotation) (file_annotation)] @attribute
