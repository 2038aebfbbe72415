; Definitions and their names, as editors list them. Each clause of a function is a symbol. Declarations under
; `where` or `let` are not symbols of the file.

(data_type name: (_) @name) @definition.type
(newtype name: (_) @name) @definition.type
(type_synonym name: (_) @name) @definition.type
(type_family name: (_) @name) @definition.type
(data_family name: (_) @name) @definition.type
(class name: (_) @name) @definition.class
; The name of an instance includes the type that it is for.
(instance name: (_) @name patterns: (_) @type (#set! name "@name @type")) @definition.implementation
(deriving_instance name: (_) @name patterns: (_) @type (#set! name "@name @type")) @definition.implementation

(data_constructor constructor: (prefix name: (_) @name)) @definition.variant
(data_constructor constructor: (record name: (_) @name)) @definition.variant
(data_constructor constructor: (infix operator: (_) @name)) @definition.variant
(gadt_constructor name: (_) @name) @definition.variant
(newtype_constructor name: (_) @name) @definition.variant
(field name: (field_name) @name) @definition.field

(declarations (function name: (_) @name) @definition.function)
(declarations (function (infix operator: (_) @name)) @definition.function)
(declarations (bind name: (_) @name) @definition.function)
(foreign_import signature: (signature name: (_) @name)) @definition.function
(class_declarations (signature name: (_) @name) @definition.method)
(class_declarations (function name: (_) @name) @definition.method)
(instance_declarations (function name: (_) @name) @definition.method)
(instance_declarations (function (infix operator: (_) @name)) @definition.method)
(instance_declarations (bind name: (_) @name) @definition.method)
