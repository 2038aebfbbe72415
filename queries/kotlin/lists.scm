; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm.

([(value_arguments) (class_parameters) (collection_literal)] @list (#set! trailing "lines"))
; "runs": `vararg` and a default value are not part of the parameter's node.
((function_value_parameters) @list (#set! members "runs") (#set! trailing "lines"))
[(lambda_parameters) (multi_variable_declaration) (function_type_parameters)] @list
([(type_arguments) (type_parameters)] @list (#set! empty "goes"))
[(delegation_specifiers) (type_constraints)] @list
((enum_class_body) @list (#set! trailing "lines") (#set! opens "lines"))

; Members of an enum that follow its constants.
[(function_declaration) (property_declaration) (companion_object) (object_declaration)
 (class_declaration) (secondary_constructor) (anonymous_initializer) (type_alias)] @unseparated

; A line break or a `;` separates statements. The grammar has no node for the `;`.
([(block) (lambda_literal) (class_body) (source_file)] @list
  (#set! separator ";") (#set! or "lines") (#set! opens "lines"))
(lambda_literal (lambda_parameters) @frame)
