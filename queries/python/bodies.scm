; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own. Settings:
;   members  "indented": the indentation of its lines alone says what is in it. All begin equally
;            deep, deeper than what it is the body of, and there is at least one
;   between  how many blank lines set a definition off where none is seen

((module) @body (#set! members "indented") (#set! between "2"))
((block) @body (#set! members "indented"))

(if_statement alternative: (_) @body)
(for_statement alternative: (_) @body)
(while_statement alternative: (_) @body)
(try_statement [(except_clause) (else_clause) (finally_clause)] @body)
(decorated_definition definition: (_) @body)
(call arguments: (_) @body)
(assignment right: [(list) (tuple) (set) (dictionary) (call)] @body)
(pair value: [(list) (tuple) (set) (dictionary)] @body)
(keyword_argument value: [(list) (tuple) (set) (dictionary)] @body)

; A docstring stays first, and before all other imports those from the future.
(expression_statement (string)) @head
(future_import_statement) @head

; @flush: a line that starts with it may be as deep as the line its parent starts in, or deeper.
(case_clause) @flush
(union_pattern "|" @flush)
