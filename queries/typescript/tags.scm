; Definitions that TypeScript adds; the others are in javascript/tags.scm.

(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(enum_assignment name: (_) @name) @definition.variant
(enum_body name: (_) @name @definition.variant)
(type_alias_declaration name: (_) @name) @definition.type
[(internal_module name: (_) @name) (module name: (_) @name)] @definition.module

; An overload has the name of the function or method that it overloads.
(function_signature name: (_) @name) @definition.function
(abstract_method_signature name: (_) @name) @definition.method
(method_signature name: (_) @name) @definition.method
(public_field_definition name: (_) @name) @definition.field
(interface_body (property_signature name: (_) @name) @definition.field)
(type_alias_declaration value: (object_type (property_signature name: (_) @name) @definition.field))
(type_alias_declaration value: (intersection_type
  (object_type (property_signature name: (_) @name) @definition.field)))

; A constructor parameter that is also a field.
(required_parameter (accessibility_modifier) pattern: (identifier) @name) @definition.field
(required_parameter "readonly" pattern: (identifier) @name) @definition.field

; Properties of an object whose type is narrowed: `{...} as const`, `{...} satisfies Config`.
(program (lexical_declaration (variable_declarator
  value: (as_expression (object (pair key: (_) @name) @definition.property)))))
(program (lexical_declaration (variable_declarator
  value: (satisfies_expression (object (pair key: (_) @name) @definition.property)))))
(export_statement declaration: (lexical_declaration (variable_declarator
  value: (as_expression (object (pair key: (_) @name) @definition.property)))))
(export_statement declaration: (lexical_declaration (variable_declarator
  value: (satisfies_expression (object (pair key: (_) @name) @definition.property)))))
(export_statement "default" @name value: (satisfies_expression)) @definition.constant
(export_statement value: (satisfies_expression (object (pair key: (_) @name) @definition.property)))

(ambient_declaration (lexical_declaration kind: "const"
  (variable_declarator name: (identifier) @name) @definition.constant))
(ambient_declaration (lexical_declaration
  (variable_declarator name: (identifier) @name) @definition.variable))
(ambient_declaration (variable_declaration
  (variable_declarator name: (identifier) @name) @definition.variable))
