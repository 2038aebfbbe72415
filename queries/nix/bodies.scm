; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.

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

; @transparent: the children of such a node count as children of its parent. The grammar puts the bindings
; into such a node.
(binding_set) @transparent
