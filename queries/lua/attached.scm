; What travels with a node. Comments right above what a file has are its docs; those before the first
; statement of a body the grammar puts beside the body.

((chunk (comment) @attached.doc) (#set! touching "lines"))
((comment) @loose (#set! begins "--"))

; @wrapped: what its parent does but stand round, with its `local`.
(variable_declaration (assignment_statement) @wrapped)
