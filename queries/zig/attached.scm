; What moves with a node. Doc comments touch their node (no blank line between them).

((comment) @attached.doc (#starts-with? @attached.doc "///") (#set! touching "lines"))

; @import: see javascript/attached.scm.
((variable_declaration (builtin_function (builtin_identifier) @_name)) @import (#eq? @_name "@import"))
