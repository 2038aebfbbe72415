; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm.

[(argument_list) (bracketed_argument_list) (attribute_argument_list) (tuple_expression) (tuple_type)
 (tuple_pattern) (parenthesized_variable_designation) (positional_pattern_clause)
 (property_pattern_clause) (list_pattern) (collection_expression)] @list
; "runs": a parameter with `params` has no node of its own, and a member of an object may have a name.
([(parameter_list) (bracketed_parameter_list) (anonymous_object_creation_expression)] @list
  (#set! members "runs"))
([(type_parameter_list) (type_argument_list) (base_list) (attribute_list)] @list
  (#set! empty "goes"))
((type_parameter_constraints_clause) @list (#set! empty "goes"))
((variable_declaration) @list (#set! empty "goes") (#set! inside "none"))
((initializer_expression) @list (#set! trailing "lines"))
([(enum_member_declaration_list) (switch_expression)] @list
  (#set! trailing "lines") (#set! opens "lines"))

; Children of a list that are not members.
(variable_declaration type: (_) @frame)
(type_parameter_constraints_clause (identifier) @frame)
(attribute_list (attribute_target_specifier) @frame)
(list_pattern name: (_) @frame)
; The branch that follows the members of a condition is not a member.
(preproc_if [(preproc_elif) (preproc_else)] @frame)
(preproc_elif [(preproc_elif) (preproc_else)] @frame)

((or_pattern) @list (#set! separator " or"))
