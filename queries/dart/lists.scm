; Lists: what sets their members apart belongs to the list (settings as in rust/lists.scm). The
; formatter keeps members on lines of their own where there is a comma behind the last.

([(arguments) (list_literal) (set_or_map_literal) (list_pattern)] @list (#set! trailing "lines"))
; A default value and `required` are no part of the parameter's node, a key or a name none of what it
; is matched with.
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

; Members of an enum behind its values.
(enum_body (member_declaration) @unseparated)
