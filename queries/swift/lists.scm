; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm.

[(value_arguments) (tuple_type) (capture_list)] @list
((array_literal) @list (#set! trailing "lines"))
; "runs": a member may have a name or a key that is not part of the value's node.
((tuple_expression) @list (#set! members "runs") (#set! lone "value"))
((enum_type_parameters) @list (#set! members "runs"))
((dictionary_literal) @list (#set! members "runs") (#set! trailing "lines"))
([(type_arguments) (type_parameters) (type_constraints)] @list (#set! empty "goes"))
((lambda_function_type_parameters) @list (#set! inside "none"))
(type_constraints (where_keyword) @frame)

; "runs": the parameters of a function are siblings of its name and its body, and a default value is a sibling
; of its parameter.
([(function_declaration) (init_declaration) (protocol_function_declaration)
  (subscript_declaration)] @list (#set! members "runs") (#set! inside "none"))
(function_declaration [")" "->" "async"] @frame)
(function_declaration name: (_) @frame)
(function_declaration body: (_) @frame)
(function_declaration [(throws) (throws_clause) (type_constraints) (type_parameters)] @frame)
(init_declaration [")" "async"] @frame)
(init_declaration body: (_) @frame)
(init_declaration [(throws) (throws_clause) (type_constraints) (type_parameters)] @frame)
(protocol_function_declaration [")" "->" "async"] @frame)
(protocol_function_declaration name: (_) @frame)
(protocol_function_declaration [(throws) (throws_clause) (type_constraints)
  (type_parameters)] @frame)
(subscript_declaration [")" "->"] @frame)
(subscript_declaration name: (_) @frame)
(subscript_declaration [(computed_property) (type_constraints) (type_parameters)] @frame)

; A line break or a `;` separates statements.
([(statements) (source_file) (class_body)] @list
  (#set! separator ";") (#set! or "lines") (#set! opens "lines"))

((protocol_composition_type) @list (#set! separator " &"))
