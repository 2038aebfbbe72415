; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; "after": the token that precedes the members. Without braces, only the indentation of its lines determines
; what a body contains (python/bodies.scm). "tall": blank lines separate definitions of several lines if the
; file does not show otherwise.

((compilation_unit) @body (#set! spacing "tall"))
((template_body "{") @body (#set! spacing "tall"))
((template_body ":") @body (#set! members "indented") (#set! spacing "tall"))
((enum_body "{") @body (#set! spacing "tall"))
((enum_body ":") @body (#set! members "indented") (#set! spacing "tall"))
((with_template_body "{") @body (#set! spacing "tall"))
((with_template_body) @body (#set! members "indented") (#set! spacing "tall"))
[(block) (case_block)] @body
([(indented_block) (indented_cases)] @body (#set! members "indented"))
((case_clause) @body (#set! after "=>"))

(val_definition value: [(call_expression) (match_expression) (instance_expression)] @body)
(function_definition body: (match_expression) @body)
(call_expression arguments: (_) @body)
(match_expression body: (_) @body)
(class_definition body: (_) @body)

(compilation_unit (package_clause !body) @head)

; @late: the grammar may end such a node with the line breaks that follow it.
[(template_body) (enum_body) (with_template_body) (indented_block) (indented_cases)] @late

; @flush: a line that starts with it may be indented like the line that its parent starts in, or deeper.
[(case_clause) (type_case_clause)] @flush
(alternative_pattern "|" @flush)

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
; @last_clause: one that follows even those.
"catch" @clause
"else" @later_clause
"finally" @last_clause

; @transparent: the children of such a node count as children of its parent. The grammar nests the patterns of `a | b`.
(alternative_pattern (alternative_pattern) @transparent)

; @mistake: see c/bodies.scm.
((identifier) @mistake (#any-of? @mistake "else" "catch" "finally"))
