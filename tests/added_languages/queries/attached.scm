; Comments directly above a node move with it.

((comment) @attached.doc (#set! touching "lines"))
