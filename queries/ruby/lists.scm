; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm.

; A line break or a `;` separates statements.
([(program) (body_statement) (block_body) (then) (else) (ensure) (do) (begin)
  (parenthesized_statements)] @list
  (#set! separator ";") (#set! or "lines") (#set! opens "lines"))
(body_statement [(rescue) (else) (ensure)] @frame)
(begin [(rescue) (else) (ensure)] @frame)

[(argument_list) (array) (hash) (method_parameters) (lambda_parameters) (block_parameters)
 (left_assignment_list) (right_assignment_list) (exceptions) (array_pattern) (hash_pattern)
 (find_pattern)] @list
(element_reference) @list
(element_reference object: (_) @frame)
(array_pattern class: (_) @frame)
(hash_pattern class: (_) @frame)
(find_pattern class: (_) @frame)
((when (pattern)) @list (#set! inside "none"))
(when body: (_) @frame)
(undef) @list
((alternative_pattern) @list (#set! separator " |"))
