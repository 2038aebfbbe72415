; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm. With a trailing comma, the formatter keeps members on their own lines.

([(arguments) (list_literal) (set_or_map_literal) (list_pattern)] @list (#set! trailing "lines"))
; "runs": a default value and `required` are not part of the parameter's node, and a key or a name is not part
; of the pattern that it is matched with.
([(formal_parameter_list) (map_pattern) (object_pattern)] @list
  (#set! members "runs") (#set! trailing "lines"))
((optional_formal_parameters) @list (#set! members "runs") (#set! trailing "lines")
  (#set! empty "goes"))
((record_literal) @list (#set! trailing "lines") (#set! single "separated"))
((record_pattern) @list (#set! members "runs") (#set! trailing "lines") (#set! single "separated"))
([(type_arguments) (type_parameters) (interfaces) (mixins)] @list (#set! empty "goes"))
((enum_body) @list (#set! trailing "lines") (#set! opens "lines"))
((switch_expression) @list (#set! trailing "lines") (#set! opens "lines"))
([(initialized_identifier_list) (static_final_declaration_list) (identifier_list) (combinator)]
  @list (#set! inside "none"))

; Members of an enum that follow its values.
(enum_body (member_declaration) @unseparated)
