; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own.

((program) @body (#set! spacing "tall"))
(braced_expression) @body
(binary_operator rhs: [(function_definition) (call) (braced_expression)] @body)
(argument value: [(function_definition) (call) (braced_expression)] @body)
(function_definition body: (braced_expression) @body)
(call arguments: (_) @body)
(if_statement consequence: (braced_expression) @body)
(for_statement body: (braced_expression) @body)
(while_statement body: (braced_expression) @body)

; @header: a statement that starts with it may go on in the next line, without a bracket.
["if" "for" "while" "else"] @header
