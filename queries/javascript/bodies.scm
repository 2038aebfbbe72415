; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.

[(statement_block) (class_body) (switch_body)] @body
(if_statement alternative: (else_clause) @body)
(try_statement handler: (_) @body)
(try_statement finalizer: (_) @body)

; The body of a call is the function in its arguments, `describe("...", () => {})`, otherwise the arguments.
(call_expression arguments: (arguments [(arrow_function) (function_expression)] @body))
(new_expression arguments: (arguments [(arrow_function) (function_expression)] @body))
(call_expression arguments: (arguments) @body)
(new_expression arguments: (arguments) @body)

; The body of an assignment is its value.
(variable_declarator
  value: [(arrow_function) (function_expression) (class) (object) (array) (call_expression)] @body)
(assignment_expression
  right: [(arrow_function) (function_expression) (class) (object) (array)] @body)
(pair value: [(arrow_function) (function_expression) (object) (array)] @body)
(export_statement declaration: (_) @body)
(export_statement (export_clause) @body)
(import_statement (import_clause (named_imports) @body))

; @flush: a line that starts with it may be indented like the line that its parent starts in, or deeper.
[(switch_case) (switch_default)] @flush

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
; @last_clause: one that follows even those.
"catch" @clause
"else" @later_clause
"finally" @last_clause

; @ends_with_line: a line break after its keyword ends it, so it has no value or label on the next line.
[(return_statement) (break_statement) (continue_statement) (yield_expression)] @ends_with_line

; @terminator: a `;` that follows a declaration or statement in its line belongs to it.
(program (empty_statement) @terminator)
(statement_block (empty_statement) @terminator)
(switch_case (empty_statement) @terminator)
(switch_default (empty_statement) @terminator)
