; What travels with a node: comments right above an instruction.

((source_file (comment) @attached.doc) (#set! touching "lines"))

; A line break that a backslash takes back.
(line_continuation) @unseen

; @wrapped: what its parent does but stand round, with its keyword.
(arg_instruction (arg_pair) @wrapped)
(env_instruction (env_pair) @wrapped)
(label_instruction (label_pair) @wrapped)
