; General words (docs/pointing.md) for the node types of tree-sitter-c-sharp 0.23.5.

[(method_declaration) (constructor_declaration) (destructor_declaration) (operator_declaration)
 (conversion_operator_declaration) (local_function_statement)] @function
[(method_declaration) (constructor_declaration) (destructor_declaration) (operator_declaration)
 (conversion_operator_declaration)] @method
[(class_declaration) (record_declaration)] @class
[(struct_declaration) (record_declaration)] @struct
(enum_declaration) @enum
(interface_declaration) @interface
[(namespace_declaration) (file_scoped_namespace_declaration)] @module
(type) @type
[(local_declaration_statement) (variable_declarator)] @variable
[(field_declaration) (event_field_declaration) (enum_member_declaration)] @field
[(property_declaration) (indexer_declaration) (event_declaration)] @property
[(parameter) (implicit_parameter) (type_parameter)] @parameter
[(argument) (attribute_argument)] @argument
(type_argument_list (_) @argument)
(statement) @statement
((preproc_if) @statement (#set! is "not"))
(expression) @expression
((preproc_if) @expression (#set! is "not"))
[(block) (declaration_list) (enum_member_declaration_list) (accessor_list) (switch_body)] @block
[(invocation_expression) (object_creation_expression) (implicit_object_creation_expression)
 (constructor_initializer)] @call
[(using_directive) (extern_alias_directive)] @import
(comment) @comment
[(string_literal) (verbatim_string_literal) (raw_string_literal) (interpolated_string_expression)
 (character_literal)] @string
(initializer_expression (_) @element)
(collection_element) @element
(tuple_expression (_) @element)
(type_declaration) @item
[(namespace_declaration) (file_scoped_namespace_declaration) (using_directive)
 (extern_alias_directive)] @item
[(argument_list) (bracketed_argument_list) (parameter_list) (bracketed_parameter_list)
 (attribute_argument_list) (type_argument_list) (type_parameter_list) (initializer_expression)
 (collection_expression) (tuple_expression) (enum_member_declaration_list)] @list
[(switch_section) (switch_expression_arm)] @case
[(attribute_list) (global_attribute)] @attribute
