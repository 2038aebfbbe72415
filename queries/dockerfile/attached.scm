; What moves with a node: comments directly above an instruction.

((source_file (comment) @attached.doc) (#set! touching "lines"))

; @unseen: an escaped line break (`\`) is not shown as a node.
((line_continuation) @unseen (#set! begins "\\"))

; @wrapped: the parent merely wraps the node, with a keyword.
(arg_instruction (arg_pair) @wrapped)
(env_instruction (env_pair) @wrapped)
(label_instruction (label_pair) @wrapped)

; @file: directives of the parser.
((comment) @file (#match? @file "^#[ \\t]*(?:syntax|escape|check)[ \\t]*=|^#[ \\t]*hadolint[ \\t]+global\\b"))
