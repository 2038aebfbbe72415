; Definitions and their names. A type has the name of the constant that it is assigned to. Variables inside a
; function are not symbols of the file; types inside it are.

(function_declaration name: (_) @name) @definition.function
(test_declaration (string (string_content) @name)) @definition.test
(test_declaration (identifier) @name) @definition.test

(variable_declaration (identifier) @name (struct_declaration)) @definition.struct
(variable_declaration (identifier) @name (enum_declaration)) @definition.enum
(variable_declaration (identifier) @name (union_declaration)) @definition.union
(variable_declaration (identifier) @name (opaque_declaration)) @definition.struct
(variable_declaration (identifier) @name (error_set_declaration)) @definition.enum

(source_file (variable_declaration "const" (identifier) @name) @definition.constant)
(source_file (variable_declaration "var" (identifier) @name) @definition.variable)
(struct_declaration (variable_declaration "const" (identifier) @name) @definition.constant)
(struct_declaration (variable_declaration "var" (identifier) @name) @definition.variable)
(enum_declaration (variable_declaration (identifier) @name) @definition.constant)
(union_declaration (variable_declaration (identifier) @name) @definition.constant)
(opaque_declaration (variable_declaration (identifier) @name) @definition.constant)

(enum_declaration (container_field name: (_) @name) @definition.variant)
(variable_declaration (error_set_declaration (identifier) @name @definition.variant))
(container_field name: (identifier) @name) @definition.field
