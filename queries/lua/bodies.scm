; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.

([(chunk) (block)] @body (#set! spacing "tall"))

; The body of an assignment is its value, and that of a call is its arguments.
(assignment_statement (expression_list value: [(function_definition) (table_constructor)] @body))
(return_statement (expression_list (table_constructor) @body))
(field value: [(function_definition) (table_constructor)] @body)
(function_call arguments: (arguments [(function_definition) (table_constructor)] @body))
(function_call arguments: (arguments) @body)

(hash_bang_line) @head

; The body of a node without members starts after its first line.
([(function_declaration !body) (function_definition !body) (for_statement !body)
  (while_statement !body) (do_statement !body) (if_statement !consequence)] @body
  (#set! members "lines"))
((else_statement !body) @body (#set! members "lines") (#set! after "else"))
(function_declaration ["local" "function" "end"] @frame)
(function_declaration name: (_) @frame)
(function_declaration parameters: (_) @frame)
(function_definition ["function" "end"] @frame)
(function_definition parameters: (_) @frame)
(for_statement ["for" "do" "end"] @frame)
(for_statement clause: (_) @frame)
(while_statement ["while" "do" "end"] @frame)
(while_statement condition: (_) @frame)
(do_statement ["do" "end"] @frame)
(if_statement ["if" "then" "end"] @frame)
(if_statement condition: (_) @frame)
(if_statement alternative: (_) @frame)

(if_statement alternative: (_) @branch)

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
"elseif" @clause
"else" @later_clause
