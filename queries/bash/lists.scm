; Lists: what sets their members apart belongs to the list; an insertion adds it, a deletion takes
; it out.

; A line break or a `;` parts statements, and a `&` sends the one before it into the background.
([(program) (compound_statement) (subshell) (command_substitution) (process_substitution)
  (do_group) (if_statement) (elif_clause) (else_clause) (case_item)] @list
  (#set! separator ";") (#set! other "&") (#set! or "lines") (#set! opens "lines"))
(if_statement [(elif_clause) (else_clause)] @frame)

; The last item of a case may lack its `;;`.
((case_statement) @list (#set! separator " ;;") (#set! trailing "lines") (#set! opens "lines"))

((pipeline) @list (#set! separator " |") (#set! other "|&"))
