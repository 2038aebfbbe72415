; What moves with a node. Comments directly above a block or an attribute are its doc comments. The grammar
; puts the first and the last comments of a block outside its body.

((config_file (comment) @attached.doc) (#set! touching "lines"))
((body (comment) @attached.doc) (#set! touching "lines"))
((block (comment) @attached.doc) (#set! touching "lines"))

((comment) @file (#match? @file "^#[ \\t]*tflint-ignore-file:"))
