; Definitions and their names. The name of a named constructor includes its class (`Class.name`). A library
; has its own name. Variables inside a function are not symbols of the file; functions inside it are.

(library_name (dotted_identifier_list) @name) @definition.module
(class_declaration name: (_) @name) @definition.class
(mixin_application_class (identifier) @name) @definition.class
(mixin_declaration name: (_) @name) @definition.trait
(enum_declaration name: (_) @name) @definition.enum
(enum_entry name: (_) @name) @definition.variant
(extension_declaration name: (_) @name) @definition.extension
(extension_type_declaration name: (extension_type_name (identifier) @name)) @definition.class
(type_alias (type_identifier) @name) @definition.type

(member_declaration (method_declaration signature: (method_signature
  (function_signature name: (_) @name)))) @definition.method
(member_declaration (method_declaration signature: (method_signature
  (operator_signature operator: (_) @name)))) @definition.method
(member_declaration (method_declaration signature: (method_signature
  [(getter_signature name: (_) @name) (setter_signature name: (_) @name)]))) @definition.property
(member_declaration (method_declaration signature: (method_signature [
  (constructor_signature (identifier) @type (identifier) @name)
  (factory_constructor_signature (identifier) @type (identifier) @name)]))
  (#set! name "@type.@name")) @definition.constructor
(member_declaration (method_declaration signature: (method_signature [
  (constructor_signature name: (_) @name)
  (factory_constructor_signature name: (_) @name)]))) @definition.constructor

(member_declaration (declaration (function_signature name: (_) @name))) @definition.method
(member_declaration (declaration (operator_signature operator: (_) @name))) @definition.method
(member_declaration (declaration
  [(getter_signature name: (_) @name) (setter_signature name: (_) @name)])) @definition.property
(member_declaration (declaration [
  (constructor_signature (identifier) @type (identifier) @name)
  (constant_constructor_signature (identifier) @type (identifier) @name)
  (redirecting_factory_constructor_signature (identifier) @type (identifier) @name)])
  (#set! name "@type.@name")) @definition.constructor
(member_declaration (declaration [
  (constructor_signature name: (_) @name)
  (constant_constructor_signature name: (_) @name)
  (redirecting_factory_constructor_signature name: (_) @name)])) @definition.constructor
(declaration (initialized_identifier_list
  (initialized_identifier name: (_) @name) @definition.field))
(declaration (static_final_declaration_list
  (static_final_declaration name: (_) @name) @definition.field))
(declaration (identifier_list (identifier) @name @definition.field))

(function_declaration signature: (function_signature name: (_) @name)) @definition.function
(local_function_declaration (function_signature name: (_) @name)) @definition.function
(external_function_declaration signature: (function_signature name: (_) @name)) @definition.function
(getter_declaration signature: (getter_signature name: (_) @name)) @definition.property
(setter_declaration signature: (setter_signature name: (_) @name)) @definition.property
(external_getter_declaration signature: (getter_signature name: (_) @name)) @definition.property
(external_setter_declaration signature: (setter_signature name: (_) @name)) @definition.property
(top_level_variable_declaration (initialized_identifier_list
  (initialized_identifier name: (_) @name) @definition.variable))
(top_level_variable_declaration (static_final_declaration_list
  (static_final_declaration name: (_) @name) @definition.constant))
(external_variable_declaration (identifier_list (identifier) @name @definition.variable))
