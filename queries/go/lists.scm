; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm.

([(argument_list) (parameter_list) (literal_value)] @list (#set! trailing "lines"))
([(type_arguments) (type_parameter_list)] @list (#set! trailing "lines") (#set! empty "goes"))
(expression_list) @list
([(type_elem) (type_constraint)] @list (#set! separator " |"))
; The names that share a type.
((parameter_declaration ",") @list (#set! inside "none"))
(parameter_declaration type: (_) @frame)
((field_declaration ",") @list (#set! inside "none"))
(field_declaration type: (_) @frame)
(field_declaration tag: (_) @frame)

; A member ends with its line, otherwise with a semicolon.
([(block) (field_declaration_list) (interface_type) (import_spec_list) (var_spec_list)
  (expression_case) (type_case) (communication_case) (default_case)] @list
  (#set! separator ";") (#set! or "lines") (#set! opens "lines"))
((const_declaration "(") @list (#set! separator ";") (#set! or "lines") (#set! opens "lines"))
((type_declaration "(") @list (#set! separator ";") (#set! or "lines") (#set! opens "lines"))
