; Names of things, as editors list them. A property goes without its `$`. A namespace of a whole file
; stands for itself, one with a body holds what is in it. Pest's tests go by their sentence.

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

; A file of settings has those that it returns.
(program (return_statement (array_creation_expression
  (array_element_initializer (string) @name "=>") @definition.property)))

(function_call_expression function: (name) @_word
  arguments: (arguments (argument [(string) (encapsed_string)] @name))
  (#any-of? @_word "it" "test" "describe")) @definition.test

; Below these the grammar has no definition.
[(nowdoc) (string)] @closed
