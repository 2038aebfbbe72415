; Names, scopes and import statements that TypeScript adds; the others are in javascript/imports.scm.

(type_identifier) @name
(nested_type_identifier name: (type_identifier) @member)

[(interface_declaration) (type_alias_declaration) (abstract_class_declaration) (function_signature) (method_signature)
 (abstract_method_signature) (call_signature) (construct_signature) (function_type) (constructor_type)
 (conditional_type) (index_signature) (internal_module) (module)] @scope
(abstract_class_declaration name: (_) @binds_outside)
(interface_declaration name: (_) @binds_outside)
(type_alias_declaration name: (_) @binds_outside)
(function_signature name: (_) @binds_outside)
(internal_module name: (identifier) @binds_outside)
(module name: (identifier) @binds_outside)
(enum_declaration name: (identifier) @binds)
(required_parameter pattern: (_) @binds)
(optional_parameter pattern: (_) @binds)
(type_parameter name: (type_identifier) @binds)
(infer_type (type_identifier) @binds)
(mapped_type_clause name: (type_identifier) @binds)
(index_signature name: (identifier) @binds)
(import_require_clause (identifier) @binds)
(import_alias . (identifier) @binds)

; Types are not used when the code of the file runs.
[(type_annotation) (type_arguments) (type_parameters) (interface_declaration) (type_alias_declaration)
 (implements_clause) (function_signature)] @deferred
[(interface_declaration) (type_alias_declaration)] @hoisted
[(interface_declaration) (type_alias_declaration)] @type_definition

(import_statement "type") @type_only
(import_specifier "type") @type_only
(export_statement "type") @type_only
(export_specifier "type") @type_only

(nested_type_identifier) @access
(nested_identifier) @access

; `declare module "./a"` adds to the definitions of a file.
(module name: (string) @augmented)
