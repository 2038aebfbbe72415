; Definitions and their names. Variables inside a function are not symbols of the file; functions and classes
; inside it are. A package for a whole file has no members. Class parameters with `val` or `var`, and those of
; a case class, are properties.

(block [(val_definition) (var_definition)] @definition.none)
(indented_block [(val_definition) (var_definition)] @definition.none)
(case_clause [(val_definition) (var_definition)] @definition.none)

(package_clause name: (_) @name) @definition.module
(package_object name: (_) @name) @definition.module
(class_definition name: (_) @name) @definition.class
(class_definition "case" class_parameters: (class_parameters
  (class_parameter name: (_) @name) @definition.property))
(class_parameter ["val" "var"] name: (_) @name) @definition.property
(object_definition name: (_) @name) @definition.module
(trait_definition name: (_) @name) @definition.trait
(enum_definition name: (_) @name) @definition.enum
(simple_enum_case name: (_) @name) @definition.variant
(full_enum_case name: (_) @name) @definition.variant
(type_definition name: (_) @name) @definition.type

(template_body [(function_definition name: (_) @name) (function_declaration name: (_) @name)]
  @definition.method)
(enum_body (function_definition name: (_) @name) @definition.method)
(with_template_body (function_definition name: (_) @name) @definition.method)
(function_definition name: (_) @name) @definition.function
(function_declaration name: (_) @name) @definition.function
(given_definition name: (_) @name) @definition.constant
(val_definition pattern: (identifier) @name) @definition.constant
(val_declaration name: (_) @name) @definition.constant
(var_definition pattern: (identifier) @name) @definition.variable
(var_declaration name: (_) @name) @definition.variable
