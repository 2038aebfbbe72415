; What travels with a node. @attached.<kind>: kinds are told apart when new content brings its own.

; Docs touch what they belong to (no blank line between). Those of a field or a constructor stand "behind" it,
; those of an item before it, or behind it if they touch that and not what follows ("either").
((record_declaration (comment) @attached.doc) (#starts-with? @attached.doc "(**")
  (#set! touching "lines") (#set! stands "behind"))
((variant_declaration (comment) @attached.doc) (#starts-with? @attached.doc "(**")
  (#set! touching "lines") (#set! stands "behind"))
((comment) @attached.doc (#starts-with? @attached.doc "(**")
  (#set! touching "lines") (#set! stands "either"))

; @wrapped: what its parent does but stand round, with its keyword: a `let` without an `and`.
(value_definition (let_binding) @wrapped)
(type_definition (type_binding) @wrapped)
(module_definition (module_binding) @wrapped)
(class_definition (class_binding) @wrapped)
(class_type_definition (class_type_binding) @wrapped)

; The grammar puts comments at the end of a node behind it, and those before the first thing in it before it.
(comment) @loose
