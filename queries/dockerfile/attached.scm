; What travels with a node: comments right above an instruction.

((source_file (comment) @attached.doc) (#set! touching "lines"))
