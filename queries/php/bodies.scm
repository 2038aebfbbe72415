; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; @head stays first in its body.

[(compound_statement) (switch_block) (use_list) (property_hook_list)] @body
([(declaration_list) (enum_declaration_list)] @body (#set! spacing "tall"))
((program) @body (#set! spacing "tall"))
((colon_block) @body (#set! after ":"))
((case_statement) @body (#set! after ":"))
((default_statement) @body (#set! after ":"))

; The other branches of an `if`, and the clauses that follow a `try`, are not part of its body.
(function_call_expression arguments: (arguments) @body)
(member_call_expression arguments: (arguments) @body)
(scoped_call_expression arguments: (arguments) @body)
(object_creation_expression (arguments) @body)
(attribute parameters: (arguments) @body)
(assignment_expression right: [(array_creation_expression) (anonymous_function)] @body)
(array_element_initializer [(array_creation_expression) (anonymous_function)] @body)
(namespace_use_declaration body: (_) @body)

; The interpreter line, `<?php`, `declare` statements and the namespace stay first in a file.
(program (php_tag) @head)
((program (text) @head) (#starts-with? @head "#!"))
(program (declare_statement) @head)
(program (namespace_definition !body) @head)

; @flush: a line that starts with it may be indented like the line that its parent starts in, or deeper.
[(case_statement) (default_statement)] @flush

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
; @last_clause: one that follows even those.
["elseif" "catch"] @clause
"else" @later_clause
"finally" @last_clause

; @terminator: a `;` that follows a declaration or statement in its line belongs to it.
(program (empty_statement) @terminator)
(compound_statement (empty_statement) @terminator)
