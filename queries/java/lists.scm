; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm.

[(argument_list) (formal_parameters) (inferred_parameters) (annotation_argument_list)
 (array_initializer) (element_value_array_initializer) (record_pattern_body) (type_list)
 (switch_label)] @list
([(type_parameters) (type_arguments) (throws) (super_interfaces) (extends_interfaces) (permits)] @list
  (#set! empty "goes"))
((type_bound) @list (#set! separator " &") (#set! empty "goes"))
((catch_type) @list (#set! separator " |"))
((resource_specification) @list (#set! separator ";") (#set! empty "goes"))
([(field_declaration) (constant_declaration) (local_variable_declaration)] @list
  (#set! empty "goes") (#set! inside "none"))
((enum_body) @list (#set! opens "lines"))

; Members of an enum that follow its constants.
[(field_declaration) (method_declaration) (constructor_declaration) (class_declaration)
 (interface_declaration) (enum_declaration) (record_declaration) (static_initializer)] @unseparated

; Children of a list that are not members: the parts that all names of a declaration share.
(field_declaration type: (_) @frame)
(field_declaration (modifiers) @frame)
(constant_declaration type: (_) @frame)
(constant_declaration (modifiers) @frame)
(local_variable_declaration type: (_) @frame)
(local_variable_declaration (modifiers) @frame)
