; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; The members of a block are on "lines" of their own.

((block) @body (#set! members "lines"))
(block [(identifier) (string_lit) (block_start) (block_end)] @frame)
(config_file) @body

; @transparent: the children of such a node count as children of its parent. The grammar puts the content of a
; block or a file into such a node.
(body) @transparent

; The body of an assignment is its value.
(attribute (expression) @body)
(object_elem val: (expression) @body)
(function_call (function_arguments) @body)
