; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; Settings:
;   members  "indented": only the indentation of its lines determines what the body contains. All members
;            have the same indentation, deeper than that of the parent, and there is at least one
;   between  the number of blank lines that separate a definition if the file does not show it

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

; A docstring stays first, and imports from `__future__` precede all other imports.
(expression_statement (string)) @head
(future_import_statement) @head

; @flush: a line that starts with it may be indented like the line that its parent starts in, or deeper.
(case_clause) @flush
(union_pattern "|" @flush)

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
; @last_clause: one that follows even those.
["elif" "except"] @clause
"else" @later_clause
"finally" @last_clause
