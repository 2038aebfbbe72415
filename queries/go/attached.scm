; What moves with a node. @attached.<kind>: nodes of a kind in new content replace those of the node.

; Comments directly above a declaration ("touching": no blank line between them) are its doc comments, except
; directives for tools.
((comment) @attached.directive
  (#starts-with? @attached.directive "//go:" "//nolint" "//lint:" "//export " "//line ")
  (#set! touching "lines"))
((source_file (comment) @attached.doc) (#set! touching "lines"))
((const_declaration (comment) @attached.doc) (#set! touching "lines"))
((type_declaration (comment) @attached.doc) (#set! touching "lines"))
((var_spec_list (comment) @attached.doc) (#set! touching "lines"))
((field_declaration_list (comment) @attached.doc) (#set! touching "lines"))
((interface_type (comment) @attached.doc) (#set! touching "lines"))

; @wrapped: the parent merely wraps the node, with a keyword.
(type_declaration [(type_spec) (type_alias)] @wrapped)
(const_declaration (const_spec) @wrapped)
(var_declaration (var_spec) @wrapped)
(import_declaration (import_spec) @wrapped)
