; General words (docs/pointing.md) for the node types of tree-sitter-dart 0.3.0.

; A method is its whole declaration, including the semicolon of a method without a body.
[(function_declaration) (local_function_declaration) (external_function_declaration)
 (getter_declaration) (setter_declaration)] @function
(member_declaration (method_declaration)) @function
(member_declaration (declaration (function_signature))) @function
(member_declaration (method_declaration)) @method
(member_declaration (declaration (function_signature))) @method
[(class_declaration) (mixin_declaration) (mixin_application_class) (extension_declaration)
 (extension_type_declaration)] @class
(enum_declaration) @enum
(class_declaration "interface") @interface
(library_name) @module
[(type) (type_alias)] @type
[(local_variable_declaration) (top_level_variable_declaration)] @variable
(member_declaration (declaration
  [(initialized_identifier_list) (static_final_declaration_list) (identifier_list)])) @field
(enum_entry) @field
(map_element) @property
[(formal_parameter) (type_parameter)] @parameter
(arguments (_) @argument)
(type_arguments (_) @argument)
(_statement) @statement
(_expression) @expression
[(block) (class_body) (enum_body) (extension_body) (switch_block)] @block
[(call_expression) (new_expression) (const_object_expression)] @call
(import_or_export) @import
[(comment) (block_comment) (documentation_comment) (documentation_block_comment)] @comment
(string_literal) @string
(list_literal (_) @element)
(set_or_map_literal (_) @element)
[(class_declaration) (mixin_declaration) (mixin_application_class) (extension_declaration)
 (extension_type_declaration) (enum_declaration) (type_alias) (function_declaration)
 (getter_declaration) (setter_declaration) (top_level_variable_declaration)
 (import_or_export) (part_directive) (library_name)] @item
[(arguments) (formal_parameter_list) (optional_formal_parameters) (list_literal)
 (set_or_map_literal) (type_arguments) (type_parameters)] @list
[(switch_statement_case) (switch_statement_default) (switch_expression_case)] @case
(annotation) @attribute
(map_element key: (_) @key)
(null_aware_map_element key: (_) @key)
