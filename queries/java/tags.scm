; Definitions and their names. For the captures, see rust/tags.scm.

(class_declaration name: (_) @name) @definition.class
(record_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(annotation_type_declaration name: (_) @name) @definition.interface
(enum_declaration name: (_) @name) @definition.enum
(module_declaration name: (_) @name) @definition.module

(method_declaration name: (_) @name) @definition.method
(annotation_type_element_declaration name: (_) @name) @definition.method
(constructor_declaration name: (_) @name) @definition.constructor
(compact_constructor_declaration name: (_) @name) @definition.constructor

(enum_constant name: (_) @name) @definition.variant
(field_declaration declarator: (variable_declarator name: (_) @name)) @definition.field
(constant_declaration declarator: (variable_declarator name: (_) @name)) @definition.constant
(record_declaration parameters: (formal_parameters (formal_parameter name: (_) @name) @definition.field))

; These nodes contain no definition.
[(import_declaration) (marker_annotation) (scoped_identifier)] @closed
