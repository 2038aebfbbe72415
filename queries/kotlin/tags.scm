; Definitions and their names. Variables inside a function are not symbols of the file; functions and classes
; inside it are. Class parameters with `val` or `var` are properties.

(block (property_declaration) @definition.none)
(lambda_literal (property_declaration) @definition.none)

(class_declaration "interface" name: (_) @name) @definition.interface
(class_declaration (modifiers (class_modifier "enum")) name: (_) @name) @definition.enum
(class_declaration name: (_) @name) @definition.class
(object_declaration name: (_) @name) @definition.class
(companion_object name: (_) @name) @definition.class
(companion_object "object" @name !name (#set! name "Companion")) @definition.class
(type_alias type: (_) @name) @definition.type

(class_body (function_declaration name: (_) @name) @definition.method)
(enum_class_body (function_declaration name: (_) @name) @definition.method)
(function_declaration name: (_) @name) @definition.function
(secondary_constructor "constructor" @name) @definition.constructor
(enum_entry (identifier) @name) @definition.variant
(class_parameter ["val" "var"] (identifier) @name) @definition.property
(property_declaration (modifiers (property_modifier "const"))
  (variable_declaration (identifier) @name)) @definition.constant
(property_declaration (variable_declaration (identifier) @name)) @definition.property
