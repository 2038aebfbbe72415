; Names, their scopes and the import statements; TypeScript and TSX share this file. queries/imports.toml states how
; statements are written and where modules are.

[(identifier) (shorthand_property_identifier) (shorthand_property_identifier_pattern)] @name
(export_specifier alias: (identifier) @member)

[(function_declaration) (generator_function_declaration) (function_expression) (generator_function) (arrow_function)
 (method_definition) (class_declaration) (class) (statement_block) (switch_body) (catch_clause) (for_statement)
 (for_in_statement) (class_static_block)] @scope
(function_declaration body: (_) @deferred)
(generator_function_declaration body: (_) @deferred)
(function_expression body: (_) @deferred)
(generator_function body: (_) @deferred)
(arrow_function body: (_) @deferred)
(method_definition body: (_) @deferred)

(function_declaration name: (identifier) @binds_outside)
(generator_function_declaration name: (identifier) @binds_outside)
(class_declaration name: (_) @binds_outside)
(function_expression name: (identifier) @binds)
(generator_function name: (identifier) @binds)
(class name: (_) @binds)
(arrow_function parameter: (identifier) @binds)
(variable_declarator name: (_) @binds)
(catch_clause parameter: (_) @binds)
(for_in_statement kind: "const" left: (_) @binds)
(for_in_statement kind: "let" left: (_) @binds)
(for_in_statement kind: "var" left: (_) @binds)
[(object_pattern) (array_pattern) (rest_pattern) (assignment_pattern) (object_assignment_pattern) (pair_pattern)] @pattern
(assignment_pattern right: (_) @unbound)
(object_assignment_pattern right: (_) @unbound)
(pair_pattern key: (_) @unbound)

(assignment_expression left: (identifier) @assigned_name)
(assignment_expression left: (parenthesized_expression (identifier) @assigned_name))
(augmented_assignment_expression left: (identifier) @assigned_name)
(update_expression argument: (identifier) @assigned_name)
(for_in_statement left: (identifier) @assigned_name)
(array_pattern (identifier) @assigned_name)
(rest_pattern (identifier) @assigned_name)
(object_pattern (shorthand_property_identifier_pattern) @assigned_name)
(pair_pattern value: (identifier) @assigned_name)
(assignment_pattern left: (identifier) @assigned_name)
(object_assignment_pattern left: (shorthand_property_identifier_pattern) @assigned_name)

; Functions are defined before the code of the file runs.
(function_declaration) @hoisted
(generator_function_declaration) @hoisted

(import_statement source: (_)) @statement
(export_statement source: (_)) @export_statement
(import_statement source: (_) @module)
(export_statement source: (_) @module)
(import_clause (identifier) @default)
(namespace_import) @namespace
(namespace_export) @namespace
(namespace_import (identifier) @alias)
(namespace_export (_) @alias)
(import_specifier) @item
(export_specifier) @item
(import_specifier name: (_) @original)
(import_specifier alias: (_) @alias)
(export_specifier name: (_) @original)
(export_specifier alias: (_) @alias)
(export_statement "*" @star)

(export_statement declaration: (_)) @export
(export_statement "default") @default_export
(export_specifier !alias) @exported

(member_expression) @access
((call_expression function: (import)) @dynamic)
((call_expression function: (member_expression property: (property_identifier) @_name)) @dynamic
  (#any-of? @_name "mock" "doMock" "unmock" "requireActual" "importActual" "importMock"))

; Modules of another kind, whose exports are not statements.
((call_expression function: (identifier) @_name) @other_modules (#eq? @_name "require"))
((member_expression object: (identifier) @_object property: (property_identifier) @_name) @other_modules
  (#eq? @_object "module") (#eq? @_name "exports"))

; It ends the loading of the file.
(throw_statement) @stops

; Names of members that are known when the code runs.
(subscript_expression index: (template_string (template_substitution)) @composed_member)
(subscript_expression index: (binary_expression left: (string) operator: "+") @composed_member)
(subscript_expression index: (binary_expression operator: "+" right: (string)) @composed_member)
(subscript_expression index: (binary_expression left: (binary_expression) operator: "+") @composed_member)
