; What travels with a node. @attached.<kind>: kinds are told apart when new content brings its own.

; Docs touch the node they belong to (no blank line between). Those of a field or a constructor follow it, so they are
; attached to the "preceding" node; those of an item precede it, or follow it if they touch it and not the following
; node ("either").
((record_declaration (comment) @attached.doc) (#starts-with? @attached.doc "(**")
  (#set! touching "lines") (#set! attached_to "preceding"))
((variant_declaration (comment) @attached.doc) (#starts-with? @attached.doc "(**")
  (#set! touching "lines") (#set! attached_to "preceding"))
((comment) @attached.doc (#starts-with? @attached.doc "(**")
  (#set! touching "lines") (#set! attached_to "either"))

; @wrapped: what its parent does but stand round, with its keyword: a `let` without an `and`.
(value_definition (let_binding) @wrapped)
(type_definition (type_binding) @wrapped)
(module_definition (module_binding) @wrapped)
(class_definition (class_binding) @wrapped)
(class_type_definition (class_type_binding) @wrapped)

; The grammar puts comments at the end of a node behind it, and those before the first thing in it before it.
(comment) @loose
