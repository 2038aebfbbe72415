; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.

; A line break or a `;` separates statements. A `&` does too, and runs the preceding one in the background.
([(program) (compound_statement) (subshell) (command_substitution) (process_substitution)
  (do_group) (if_statement) (elif_clause) (else_clause) (case_item)] @list
  (#set! separator ";") (#set! other "&") (#set! or "lines") (#set! opens "lines"))
(if_statement [(elif_clause) (else_clause)] @frame)

; The last item of a `case` may omit its `;;`.
((case_statement) @list (#set! separator " ;;") (#set! trailing "lines") (#set! opens "lines"))

((pipeline) @list (#set! separator " |") (#set! other "|&"))
