; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm. Another setting:
;   begins     a separator that starts a line of "lines", or that precedes the first member, belongs to the
;              following member

([(list_expression) (array_expression) (list_pattern) (array_pattern) (record_declaration)
  (record_expression) (record_pattern)] @list
  (#set! separator ";") (#set! begins "lines"))
; The record that the other fields are copied from is not a member.
(record_expression "with" @frame)
(record_expression (_simple_expression) @frame)
([(tuple_expression) (tuple_pattern)] @list (#set! inside "none"))

([(variant_declaration) (polymorphic_variant_type)] @list
  (#set! separator " |") (#set! begins "lines"))
([(match_expression) (function_expression) (try_expression)] @list
  (#set! separator " |") (#set! begins "lines") (#set! opens "lines"))
(match_expression "match" @frame)
(match_expression expression: (_) @frame)
(try_expression "try" @frame)
(try_expression expression: (_) @frame)

; Bindings that `and` separates, as in `let ... and ...`.
([(value_definition (let_binding) (let_binding)) (type_definition (type_binding) (type_binding))
  (module_definition (module_binding) (module_binding)) (class_definition (class_binding) (class_binding))] @list
  (#set! separator " and") (#set! begins "lines") (#set! inside "none"))
(value_definition ["let" "rec" "%" (attribute_id) (item_attribute) (let_operator) (let_and_operator)] @frame)
(type_definition ["type" "nonrec"] @frame)
(module_definition ["module" "rec"] @frame)
(class_definition "class" @frame)

((sequence_expression) @list (#set! separator ";") (#set! opens "lines"))

; The arguments are a @row: they are on one line, with only spaces between them.
(application_expression) @row
(application_expression function: (_) @frame)

((or_pattern) @list (#set! separator " |") (#set! begins "lines"))
