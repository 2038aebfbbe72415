; What travels with a node. Comments right above a block or an attribute are its docs. The grammar puts
; the first and the last comments of a block beside its body.

((config_file (comment) @attached.doc) (#set! touching "lines"))
((body (comment) @attached.doc) (#set! touching "lines"))
((block (comment) @attached.doc) (#set! touching "lines"))
