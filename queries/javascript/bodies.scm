; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own. @head stays first in its body.

[(statement_block) (class_body) (switch_body)] @body
(if_statement alternative: (else_clause) @body)
(try_statement handler: (_) @body)
(try_statement finalizer: (_) @body)

; The inside of a call is the function that it is given, `describe("...", () => {})`, else its
; arguments.
(call_expression arguments: (arguments [(arrow_function) (function_expression)] @body))
(new_expression arguments: (arguments [(arrow_function) (function_expression)] @body))
(call_expression arguments: (arguments) @body)
(new_expression arguments: (arguments) @body)

; What is given to a name is its inside.
(variable_declarator
  value: [(arrow_function) (function_expression) (class) (object) (array) (call_expression)] @body)
(assignment_expression
  right: [(arrow_function) (function_expression) (class) (object) (array)] @body)
(pair value: [(arrow_function) (function_expression) (object) (array)] @body)
(export_statement declaration: (_) @body)
(export_statement (export_clause) @body)
(import_statement (import_clause (named_imports) @body))

; @flush: a line that starts with it may be as deep as the line its parent starts in, or deeper.
[(switch_case) (switch_default)] @flush

; @header: a statement that starts with it may go on in the next line, without a bracket.
["if" "for" "while" "else" "switch" "with" "catch"] @header
