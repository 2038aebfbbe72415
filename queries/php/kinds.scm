; General words (docs/pointing.md) for the node types of tree-sitter-php 0.25.1.

[(function_definition) (method_declaration) (anonymous_function) (arrow_function)] @function
(method_declaration) @method
[(class_declaration) (trait_declaration) (anonymous_class)] @class
(enum_declaration) @enum
(interface_declaration) @interface
(namespace_definition) @module
(type) @type
(expression_statement (assignment_expression)) @variable
[(const_declaration) (function_static_declaration) (global_declaration)] @variable
[(property_declaration) (property_promotion_parameter)] @field
[(simple_parameter) (variadic_parameter) (property_promotion_parameter)] @parameter
(argument) @argument
(statement) @statement
(expression) @expression
[(compound_statement) (declaration_list) (enum_declaration_list) (switch_block) (match_block)
 (colon_block)] @block
[(function_call_expression) (member_call_expression) (nullsafe_member_call_expression)
 (scoped_call_expression) (object_creation_expression)] @call
[(namespace_use_declaration) (use_declaration)] @import
(comment) @comment
[(string) (encapsed_string) (heredoc) (nowdoc) (shell_command_expression)] @string
(array_element_initializer) @property
(array_creation_expression (_) @element)
(list_literal (_) @element)
[(class_declaration) (interface_declaration) (trait_declaration) (enum_declaration)
 (function_definition) (namespace_definition) (namespace_use_declaration) (const_declaration)] @item
[(match_conditional_expression) (match_default_expression) (case_statement)
 (default_statement)] @item
[(arguments) (formal_parameters) (array_creation_expression) (list_literal)
 (namespace_use_group)] @list
[(case_statement) (default_statement) (match_conditional_expression) (match_default_expression)] @case
(attribute_group) @attribute
(array_element_initializer . (_) @key "=>")
(pair . (_) @key "=>")
