; Definitions and their names, as editors list them: those of a file, a module or a class, not those bound
; inside an expression. Each binding of a `let ... and ...` is a symbol.

(module_definition (module_binding (module_name) @name) @definition.module)
(module_type_definition (module_type_name) @name) @definition.interface
(class_definition (class_binding (class_name) @name) @definition.class)
(class_type_definition (class_type_binding (class_type_name) @name) @definition.interface)

(type_definition (type_binding name: (_) @name) @definition.type)
(record_declaration (field_declaration (field_name) @name) @definition.field)
(variant_declaration (constructor_declaration (constructor_name) @name) @definition.variant)
(exception_definition (constructor_declaration (constructor_name) @name)) @definition.variant

((value_definition (attribute_id) @_test (let_binding pattern: (string (string_content) @name))) @definition.test
  (#starts-with? @_test "test"))
(structure (value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name (parameter)) @definition.function))
(structure (value_definition (let_binding pattern: (value_name) @name
  body: [(fun_expression) (function_expression)]) @definition.function))
(structure (value_definition (let_binding pattern: (value_name) @name) @definition.constant))

(value_specification (value_name) @name type: (function_type)) @definition.function
(value_specification (value_name) @name) @definition.constant
(external (value_name) @name) @definition.function

(method_definition (method_name) @name) @definition.method
(method_specification (method_name) @name) @definition.method
(instance_variable_definition (instance_variable_name) @name) @definition.field
(instance_variable_specification (instance_variable_name) @name) @definition.field
