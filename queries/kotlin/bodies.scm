; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; "after": the token that precedes the members. "tall": blank lines separate definitions of several lines if
; the file does not show otherwise.

([(class_body) (source_file)] @body (#set! spacing "tall"))
[(block) (enum_class_body)] @body
((lambda_literal (lambda_parameters)) @body (#set! after "->"))
(lambda_literal) @body
((when_expression) @body (#set! after "{"))

(function_declaration (function_body (block) @body))
(anonymous_function (function_body (block) @body))
(getter (function_body (block) @body))
(setter (function_body (block) @body))
(property_declaration [(call_expression) (lambda_literal) (object_literal) (when_expression)] @body)
(call_expression (annotated_lambda (lambda_literal) @body))
(call_expression (value_arguments) @body)
(object_literal (class_body) @body)
(annotation (constructor_invocation (value_arguments) @body))

(source_file (shebang) @head)
(source_file (file_annotation) @head)
(source_file (package_header) @head)

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
; @last_clause: one that follows even those.
"catch" @clause
"else" @later_clause
"finally" @last_clause

; @mistake: see c/bodies.scm.
((identifier) @mistake (#eq? @mistake "else"))

; @ends_with_line: see javascript/bodies.scm.
(return_expression) @ends_with_line
