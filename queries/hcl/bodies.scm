; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own. What is in a block stands on "lines" of its own.

((block) @body (#set! members "lines"))
(block [(identifier) (string_lit) (block_start) (block_end)] @frame)
(config_file) @body

; The grammar puts what is in a block or a file into a node of its own, which is nothing to a person.
(body) @transparent

; What is given to a name is its inside.
(attribute (expression) @body)
(object_elem val: (expression) @body)
(function_call (function_arguments) @body)
