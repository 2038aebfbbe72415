; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own. What stands "after" a sign is inside; "tall" definitions are set off.

([(program) (compound_statement)] @body (#set! spacing "tall"))
[(subshell) (command_substitution) (process_substitution)] @body
((array) @body (#set! opens "inline"))
((do_group) @body (#set! after "do"))
((if_statement) @body (#set! after "then"))
((elif_clause) @body (#set! after "then"))
((else_clause) @body (#set! after "else"))
((case_item) @body (#set! after ")"))
((case_statement) @body (#set! after "in"))

; @header: a statement that starts with it may go on in the next line, without a bracket.
["if" "for" "while" "else"] @header
