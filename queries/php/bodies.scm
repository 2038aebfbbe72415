; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own. @head stays first in its body.

[(compound_statement) (switch_block) (use_list) (property_hook_list)] @body
([(declaration_list) (enum_declaration_list)] @body (#set! spacing "tall"))
((program) @body (#set! spacing "tall"))
((colon_block) @body (#set! after ":"))
((case_statement) @body (#set! after ":"))
((default_statement) @body (#set! after ":"))

; The other branches of an if, and what a try is followed by, are no inside of it.
(function_call_expression arguments: (arguments) @body)
(member_call_expression arguments: (arguments) @body)
(scoped_call_expression arguments: (arguments) @body)
(object_creation_expression (arguments) @body)
(attribute parameters: (arguments) @body)
(assignment_expression right: [(array_creation_expression) (anonymous_function)] @body)
(array_element_initializer [(array_creation_expression) (anonymous_function)] @body)
(namespace_use_declaration body: (_) @body)

; A file begins with the line that names its interpreter, and with what it declares and where it is.
(program (php_tag) @head)
((program (text) @head) (#starts-with? @head "#!"))
(program (declare_statement) @head)
(program (namespace_definition !body) @head)

; @flush: a line that starts with it may be as deep as the line its parent starts in, or deeper.
[(case_statement) (default_statement)] @flush

; @header: a statement that starts with it may go on in the next line, without a bracket.
["if" "for" "while" "else" "switch" "foreach" "catch"] @header
