; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; "after": the token that precedes the members. "tall": blank lines separate definitions of several lines if
; the file does not show otherwise.

([(program) (compound_statement)] @body (#set! spacing "tall"))
[(subshell) (command_substitution) (process_substitution)] @body
((array) @body (#set! opens "inline"))
((do_group) @body (#set! after "do"))
((if_statement) @body (#set! after "then"))
((elif_clause) @body (#set! after "then"))
((else_clause) @body (#set! after "else"))
((case_item) @body (#set! after ")"))
((case_statement) @body (#set! after "in"))

; The commands after "then" have no node of their own.
(if_statement [(elif_clause) (else_clause)] @branch)

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
"elif" @clause
"else" @later_clause
