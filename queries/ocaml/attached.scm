; What moves with a node. @attached.<kind>: nodes of a kind in new content replace those of the node.

; Doc comments touch their node (no blank line between them). Those of a field or a constructor follow it, so
; they are attached to the "preceding" node. Those of an item precede it, or follow it if they touch it and
; not the following node ("either").
((record_declaration (comment) @attached.doc) (#starts-with? @attached.doc "(**")
  (#set! touching "lines") (#set! attached_to "preceding"))
((variant_declaration (comment) @attached.doc) (#starts-with? @attached.doc "(**")
  (#set! touching "lines") (#set! attached_to "preceding"))
((comment) @attached.doc (#starts-with? @attached.doc "(**")
  (#set! touching "lines") (#set! attached_to "either"))

; @wrapped: the parent merely wraps the node, with a keyword: a `let` without an `and`.
(value_definition (let_binding) @wrapped)
(type_definition (type_binding) @wrapped)
(module_definition (module_binding) @wrapped)
(class_definition (class_binding) @wrapped)
(class_type_definition (class_type_binding) @wrapped)

; @loose: the grammar puts a comment that ends a node after that node, and a comment that precedes the first
; child of a node before that node.
((comment) @loose (#set! begins "(*"))
