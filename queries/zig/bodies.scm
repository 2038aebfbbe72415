; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; "after": the token that precedes the members. "tall": blank lines separate definitions of several lines if
; the file does not show otherwise.

((source_file) @body (#set! spacing "tall"))
[(block) (initializer_list) (error_set_declaration)] @body
([(struct_declaration) (union_declaration) (enum_declaration) (opaque_declaration)] @body
  (#set! after "{") (#set! spacing "tall"))
((switch_expression) @body (#set! after "{"))

(variable_declaration [(struct_declaration) (union_declaration) (enum_declaration) (opaque_declaration)
  (error_set_declaration) (struct_initializer) (anonymous_struct_initializer) (switch_expression)
  (call_expression)] @body)
(function_declaration body: (_) @body)
(if_statement body: (_) @body)
(for_statement body: (_) @body)
(while_statement body: (_) @body)
(struct_initializer (initializer_list) @body)
(builtin_function (arguments) @body)

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
"else" @later_clause
