; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.

((program) @body (#set! spacing "tall"))
(braced_expression) @body
(binary_operator rhs: [(function_definition) (call) (braced_expression)] @body)
(argument value: [(function_definition) (call) (braced_expression)] @body)
(function_definition body: (braced_expression) @body)
(call arguments: (_) @body)
(if_statement consequence: (braced_expression) @body)
(for_statement body: (braced_expression) @body)
(while_statement body: (braced_expression) @body)

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
"else" @later_clause

; @mistake: see c/bodies.scm.
((identifier) @mistake (#eq? @mistake "else"))
