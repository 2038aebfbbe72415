; Definitions and their names, as editors list them. The name of a property excludes its `$`. A namespace for
; a whole file has no members; a namespace with a body contains its members. A test of Pest has its
; description as its name.

(namespace_definition name: (_) @name) @definition.module
(class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(trait_declaration name: (_) @name) @definition.trait
(enum_declaration name: (_) @name) @definition.enum
(enum_case name: (_) @name) @definition.variant
(function_definition name: (_) @name) @definition.function
(method_declaration name: (_) @name) @definition.method
(property_declaration (property_element name: (variable_name (name) @name))) @definition.property
(property_promotion_parameter name: (variable_name (name) @name)) @definition.property
(property_hook (name) @name) @definition.method
(const_declaration (const_element (name) @name)) @definition.constant

; In a settings file, the keys of the returned array are properties.
(program (return_statement (array_creation_expression
  (array_element_initializer (string) @name "=>") @definition.property)))

(function_call_expression function: (name) @_word
  arguments: (arguments (argument [(string) (encapsed_string)] @name))
  (#any-of? @_word "it" "test" "describe")) @definition.test

; These nodes contain no definition.
[(nowdoc) (string)] @closed
