; General words for the node types that C++ adds to those of C (c/kinds.scm).

(field_declaration_list [(function_definition) (declaration)] @method)
(field_declaration declarator: [
  (function_declarator)
  (pointer_declarator declarator: (function_declarator))
  (reference_declarator (function_declarator))]) @method
(function_definition declarator: (function_declarator declarator: (qualified_identifier))) @method
(lambda_expression) @function
(class_specifier) @class
(class_specifier) @struct
[(class_specifier) (alias_declaration) (concept_definition)] @type
(namespace_definition) @module
[(optional_parameter_declaration) (variadic_parameter_declaration) (type_parameter_declaration)
 (optional_type_parameter_declaration) (variadic_type_parameter_declaration)] @parameter
(template_argument_list (_) @argument)
(field_initializer) @field
[(using_declaration) (namespace_alias_definition)] @import
(raw_string_literal) @string
[(class_specifier) (namespace_definition) (namespace_alias_definition) (template_declaration)
 (template_instantiation) (alias_declaration) (using_declaration) (concept_definition)
 (static_assert_declaration)] @item
[(template_argument_list) (template_parameter_list) (base_class_clause) (field_initializer_list)
 (lambda_capture_specifier)] @list
[(for_range_loop) (try_statement) (throw_statement)] @statement
[(lambda_expression) (new_expression) (delete_expression) (qualified_identifier)
 (raw_string_literal) (this)] @expression
