; What travels with a node. @attached.<kind>: kinds are told apart when new content brings its own.

; Comments right above what a file, a class or a module has are its docs. The grammar puts those
; before the first thing in a class beside its body.
((program (comment) @attached.doc) (#set! touching "lines"))
((class (comment) @attached.doc) (#set! touching "lines"))
((module (comment) @attached.doc) (#set! touching "lines"))
((singleton_class (comment) @attached.doc) (#set! touching "lines"))
((class (body_statement (comment) @attached.doc)) (#set! touching "lines"))
((module (body_statement (comment) @attached.doc)) (#set! touching "lines"))
((singleton_class (body_statement (comment) @attached.doc)) (#set! touching "lines"))
(comment) @loose

; The grammar puts the text of a heredoc behind the statement that begins it: it is the end of that.
(heredoc_beginning) @opens
(heredoc_body) @tail
