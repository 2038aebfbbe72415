; What travels with a node. Comments right above it (no blank line between: "touching") are its docs.

((comment) @attached.doc (#set! touching "lines"))

; @wrapped: what its parent does but stand round, with its keyword.
(export_directive (variable_assignment) @wrapped)
(override_directive [(variable_assignment) (define_directive) (undefine_directive)] @wrapped)
(private_directive (variable_assignment) @wrapped)
