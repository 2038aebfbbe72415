; Names, their scopes and the import statements, for a move that keeps its names (docs/editing.md). queries/imports.toml
; states how statements are written.

[(identifier) (type_identifier) (package_identifier)] @name
(qualified_type name: (_) @member)
(package_clause (package_identifier) @member)

[(function_declaration) (method_declaration) (func_literal) (function_type) (method_elem) (block) (if_statement)
 (for_statement) (expression_switch_statement) (type_switch_statement) (expression_case) (type_case) (default_case)
 (communication_case) (type_spec) (type_alias)] @scope

(function_declaration name: (_) @binds_outside)
(type_spec name: (_) @binds_outside)
(type_alias name: (_) @binds_outside)
(type_parameter_declaration name: (_) @binds)
(parameter_declaration name: (_) @binds)
(variadic_parameter_declaration name: (_) @binds)
(var_spec name: (_) @binds)
(const_spec name: (_) @binds)
(short_var_declaration left: (_) @binds)
(range_clause left: (_) @binds)
(receive_statement left: (_) @binds)
(type_switch_statement alias: (_) @binds)
(expression_list) @pattern
; Parameters are bound in the body of a function, and other names after the statement that binds them.
(parameter_declaration type: (_) @outside)
(variadic_parameter_declaration type: (_) @outside)
(type_switch_statement value: (_) @outside)
[(short_var_declaration) (var_spec) (const_spec) (range_clause) (receive_statement)] @binds_after

(source_file (var_declaration (var_spec value: (_) @initial)))
(source_file (var_declaration (var_spec_list (var_spec value: (_) @initial))))

(package_clause) @package
(import_spec) @statement
(import_spec path: (_) @module)
(import_spec name: (package_identifier) @namespace)
(import_spec name: (blank_identifier) @namespace)
(import_spec name: (dot) @star)
(import_spec_list) @import_list

[(selector_expression) (qualified_type)] @access
