; What travels with a node: comments right above an instruction.

((source_file (comment) @attached.doc) (#set! touching "lines"))

; A line break that a backslash takes back.
(line_continuation) @unseen
