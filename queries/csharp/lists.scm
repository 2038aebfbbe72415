; Lists: what sets their members apart belongs to the list (settings as in rust/lists.scm).

[(argument_list) (bracketed_argument_list) (attribute_argument_list) (tuple_expression) (tuple_type)
 (tuple_pattern) (parenthesized_variable_designation) (positional_pattern_clause)
 (property_pattern_clause) (list_pattern) (collection_expression)] @list
; What `params` stands before is no node of its own; a member of an object may have a name.
([(parameter_list) (bracketed_parameter_list) (anonymous_object_creation_expression)] @list
  (#set! members "runs"))
([(type_parameter_list) (type_argument_list) (base_list) (attribute_list)] @list
  (#set! empty "goes"))
((type_parameter_constraints_clause) @list (#set! empty "goes"))
((variable_declaration) @list (#set! empty "goes") (#set! inside "none"))
((initializer_expression) @list (#set! trailing "lines"))
([(enum_member_declaration_list) (switch_expression)] @list
  (#set! trailing "lines") (#set! opens "lines"))

; What stands in a list and is no member of it.
(variable_declaration type: (_) @frame)
(type_parameter_constraints_clause (identifier) @frame)
(attribute_list (attribute_target_specifier) @frame)
(list_pattern name: (_) @frame)
; What follows the members of a condition is another branch and no member.
(preproc_if [(preproc_elif) (preproc_else)] @frame)
(preproc_elif [(preproc_elif) (preproc_else)] @frame)
