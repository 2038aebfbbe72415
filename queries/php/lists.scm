; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm.

[(arguments) (formal_parameters) (match_condition_list)] @list
; "runs": an element of a list pattern may have a key, so everything between two commas is one member.
((list_literal) @list (#set! members "runs"))
((use_list) @list (#set! separator ";") (#set! trailing "lines") (#set! opens "lines"))
([(array_creation_expression) (namespace_use_group)] @list (#set! trailing "lines"))
((match_block) @list (#set! trailing "lines") (#set! opens "lines"))
([(class_interface_clause) (anonymous_function_use_clause) (attribute_group)] @list
  (#set! empty "goes"))
([(const_declaration) (property_declaration) (namespace_use_declaration) (global_declaration)
  (function_static_declaration)] @list
  (#set! empty "goes") (#set! inside "none"))
(unset_statement) @list
([(type_list) (union_type)] @list (#set! separator "|"))

; Children of a list that are not members: the parts that all names of a declaration share.
(const_declaration type: (_) @frame)
(const_declaration [(visibility_modifier) (final_modifier)] @frame)
(property_declaration type: (_) @frame)
(property_declaration attributes: (_) @frame)
(property_declaration [(visibility_modifier) (static_modifier) (readonly_modifier)
  (var_modifier) (property_hook_list)] @frame)
(namespace_use_declaration (namespace_name) @frame)
(namespace_use_declaration body: (_) @frame)
