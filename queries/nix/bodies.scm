; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own.

[(attrset_expression) (rec_attrset_expression) (let_attrset_expression)] @body
((list_expression) @body (#set! opens "inline"))
((let_expression) @body (#set! after "let"))
(let_expression body: (_) @frame)

(binding expression: (_) @body)
(function_expression body: (_) @body)
(with_expression body: (_) @body)
(assert_expression body: (_) @body)
(apply_expression argument: (_) @body)
(parenthesized_expression expression: (_) @body)

; The bindings are in a node of their own, which is nothing to a person.
(binding_set) @transparent
