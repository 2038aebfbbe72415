; Definitions and their names. Variables inside a function are not symbols of the file; functions and types
; inside it are. An extension is named as it is written; its second name is the extended type.

(statements (property_declaration) @definition.none)

(class_declaration declaration_kind: "class" name: (_) @name) @definition.class
(class_declaration declaration_kind: "actor" name: (_) @name) @definition.class
(class_declaration declaration_kind: "struct" name: (_) @name) @definition.struct
(class_declaration declaration_kind: "enum" name: (_) @name) @definition.enum
(class_declaration declaration_kind: "extension" name: (_) @name @type @alias
  (#set! name "extension @type")) @definition.extension
(protocol_declaration name: (_) @name) @definition.interface
(typealias_declaration name: (type_identifier) @name) @definition.type
(associatedtype_declaration name: (type_identifier) @name) @definition.type
(macro_declaration (simple_identifier) @name) @definition.macro
(operator_declaration (custom_operator) @name) @definition.function
(precedence_group_declaration (simple_identifier) @name) @definition.type

(class_body (function_declaration name: (_) @name) @definition.method)
(enum_class_body (function_declaration name: (_) @name) @definition.method)
(protocol_function_declaration name: (_) @name) @definition.method
(function_declaration name: (_) @name) @definition.function
(init_declaration "init" @name) @definition.constructor
(deinit_declaration "deinit" @name) @definition.method
(subscript_declaration "subscript" @name) @definition.method
(enum_entry name: (_) @name) @definition.variant
(property_declaration name: (pattern bound_identifier: (_) @name)) @definition.property
(protocol_property_declaration name: (pattern bound_identifier: (_) @name)) @definition.property
