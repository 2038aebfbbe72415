; Definitions and their names. A namespace for a whole file has no members; a namespace with a body contains
; its members. The parameters of a record are its properties.

(namespace_declaration name: (_) @name) @definition.module
(file_scoped_namespace_declaration name: (_) @name) @definition.module
(class_declaration name: (_) @name) @definition.class
(struct_declaration name: (_) @name) @definition.struct
(record_declaration name: (_) @name) @definition.class
(record_declaration (parameter_list (parameter name: (_) @name) @definition.property))
(interface_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(enum_member_declaration name: (_) @name) @definition.variant
(delegate_declaration name: (_) @name) @definition.type

(method_declaration name: (_) @name) @definition.method
(local_function_statement name: (_) @name) @definition.function
(constructor_declaration name: (_) @name) @definition.constructor
(destructor_declaration name: (_) @name @type (#set! name "~@type")) @definition.method
(conversion_operator_declaration type: (_) @name @type (#set! name "operator @type")) @definition.method
(property_declaration name: (_) @name) @definition.property
(event_declaration name: (_) @name) @definition.property
(indexer_declaration "this" @name) @definition.property
(event_field_declaration
  (variable_declaration (variable_declarator name: (_) @name) @definition.field))
(field_declaration
  (variable_declaration (variable_declarator name: (_) @name) @definition.field))

; These nodes contain no definition.
[(raw_string_literal) (string_literal)] @closed
