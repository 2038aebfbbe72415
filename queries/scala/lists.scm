; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm.

([(arguments) (parameters) (class_parameters)] @list (#set! trailing "lines"))
[(bindings) (tuple_type) (tuple_pattern) (case_class_pattern)] @list
((tuple_expression ",") @list)
((namespace_selectors) @list (#set! trailing "lines"))
((type_arguments) @list (#set! empty "goes"))
; "runs": the bounds of a type parameter are its siblings.
((type_parameters) @list (#set! members "runs") (#set! empty "goes"))
((enum_case_definitions) @list (#set! inside "none"))

; Children before the members.
(parameters ["implicit" "using"] @frame)
(class_parameters ["implicit" "using"] @frame)
(arguments "using" @frame)
(case_class_pattern type: (_) @frame)
(enum_case_definitions "case" @frame)

; A line break or a `;` separates statements.
([(block) (indented_block) (template_body) (compilation_unit) (case_clause)] @list
  (#set! separator ";") (#set! or "lines") (#set! opens "lines"))
((enumerators) @list (#set! separator ";") (#set! or "lines"))

((alternative_pattern) @list (#set! separator " |"))
