; Lists: what sets their members apart belongs to the list (settings as in rust/lists.scm).

([(value_arguments) (class_parameters) (collection_literal)] @list (#set! trailing "lines"))
; `vararg` and a default value are no part of the parameter's node.
((function_value_parameters) @list (#set! members "runs") (#set! trailing "lines"))
[(lambda_parameters) (multi_variable_declaration) (function_type_parameters)] @list
([(type_arguments) (type_parameters)] @list (#set! empty "goes"))
[(delegation_specifiers) (type_constraints)] @list
((enum_class_body) @list (#set! trailing "lines") (#set! opens "lines"))

; Members of an enum behind its constants.
[(function_declaration) (property_declaration) (companion_object) (object_declaration)
 (class_declaration) (secondary_constructor) (anonymous_initializer) (type_alias)] @unseparated

; A line break parts statements, and a `;` may; the grammar gives it no node.
([(block) (lambda_literal) (class_body) (source_file)] @list
  (#set! separator ";") (#set! or "lines") (#set! opens "lines"))
(lambda_literal (lambda_parameters) @frame)
