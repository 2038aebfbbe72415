; What travels with a node. @attached.<kind>: kinds are told apart when new content brings its own.

; Comments right above a declaration (no blank line between: "touching") are its docs, but those
; that tell a tool something.
((comment) @attached.directive
  (#starts-with? @attached.directive "//go:" "//nolint" "//lint:" "//export " "//line ")
  (#set! touching "lines"))
((source_file (comment) @attached.doc) (#set! touching "lines"))
((const_declaration (comment) @attached.doc) (#set! touching "lines"))
((type_declaration (comment) @attached.doc) (#set! touching "lines"))
((var_spec_list (comment) @attached.doc) (#set! touching "lines"))
((field_declaration_list (comment) @attached.doc) (#set! touching "lines"))
((interface_type (comment) @attached.doc) (#set! touching "lines"))

; @wrapped: what its parent does but stand round, with its keyword.
(type_declaration [(type_spec) (type_alias)] @wrapped)
(const_declaration (const_spec) @wrapped)
(var_declaration (var_spec) @wrapped)
(import_declaration (import_spec) @wrapped)
