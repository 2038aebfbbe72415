; What moves with a node: comments directly above it ("touching": no blank line between them).

((comment) @attached.doc (#set! touching "lines"))

; @wrapped: the parent merely wraps the node, with a keyword.
(export_directive (variable_assignment) @wrapped)
(override_directive [(variable_assignment) (define_directive) (undefine_directive)] @wrapped)
(private_directive (variable_assignment) @wrapped)
