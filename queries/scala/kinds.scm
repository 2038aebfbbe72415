; General words (docs/pointing.md) for the node types of tree-sitter-scala 0.26.9.

[(function_definition) (function_declaration)] @function
(template_body [(function_definition) (function_declaration)] @method)
(enum_body (function_definition) @method)
(with_template_body (function_definition) @method)
[(class_definition) (object_definition) (trait_definition)] @class
(enum_definition) @enum
(trait_definition) @interface
[(package_clause) (package_object)] @module
[(type_identifier) (generic_type) (function_type) (tuple_type) (infix_type) (compound_type)
 (projected_type) (singleton_type) (stable_type_identifier) (type_definition)] @type
[(val_definition) (var_definition) (val_declaration) (var_declaration)] @variable
(template_body [(val_definition) (var_definition) (val_declaration) (var_declaration)] @field)
(class_parameter) @field
[(enum_case_definitions) (simple_enum_case) (full_enum_case)] @field
[(parameter) (class_parameter) (binding)] @parameter
(arguments (_) @argument)
(type_arguments (_) @argument)
(block (_) @statement)
(indented_block (_) @statement)
(case_clause body: (_) @statement)
[(for_expression) (while_expression) (do_while_expression) (return_expression)] @statement
(expression) @expression
[(block) (indented_block) (template_body) (with_template_body) (enum_body) (case_block)
 (indented_cases)] @block
[(call_expression) (instance_expression)] @call
[(import_declaration) (export_declaration)] @import
[(comment) (block_comment)] @comment
[(string) (interpolated_string_expression) (character_literal)] @string
(tuple_expression (_) @element)
[(class_definition) (object_definition) (trait_definition) (enum_definition) (function_definition)
 (val_definition) (var_definition) (type_definition) (given_definition) (extension_definition)
 (package_object) (package_clause) (import_declaration) (export_declaration)] @item
[(arguments) (parameters) (class_parameters) (bindings) (type_arguments) (type_parameters)
 (tuple_expression) (namespace_selectors)] @list
[(case_clause) (type_case_clause)] @case
[(annotation) (xml_attribute)] @attribute
(using_directive_key) @key
