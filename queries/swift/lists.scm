; Lists: what sets their members apart belongs to the list (settings as in rust/lists.scm).

[(value_arguments) (tuple_type) (capture_list)] @list
((array_literal) @list (#set! trailing "lines"))
; A member may have a name or a key that is no part of the value's node.
([(tuple_expression) (enum_type_parameters)] @list (#set! members "runs"))
((dictionary_literal) @list (#set! members "runs") (#set! trailing "lines"))
([(type_arguments) (type_parameters) (type_constraints)] @list (#set! empty "goes"))
((lambda_function_type_parameters) @list (#set! inside "none"))
(type_constraints (where_keyword) @frame)

; The parameters of a function stand beside its name and its body, each beside its default value.
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

; A line break parts statements, and a `;` may.
([(statements) (source_file) (class_body)] @list
  (#set! separator ";") (#set! or "lines") (#set! opens "lines"))
