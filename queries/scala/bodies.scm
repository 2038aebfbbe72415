; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own. What stands "after" a sign is inside; without braces the indentation of its
; lines alone says what is in a body (python/bodies.scm); "tall" definitions are set off.

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

; The grammar lets it end with the line breaks behind it.
[(template_body) (enum_body) (with_template_body) (indented_block) (indented_cases)] @late

; @flush: a line that starts with it may be as deep as the line its parent starts in, or deeper.
[(case_clause) (type_case_clause)] @flush
(alternative_pattern "|" @flush)

; @header: a statement that starts with it may go on in the next line, without a bracket.
["if" "for" "while" "else" "with" "catch"] @header
