; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; "after": the token that precedes the members. "tall": blank lines separate definitions of several lines if
; the file does not show otherwise.

([(source_file) (class_body) (enum_class_body)] @body (#set! spacing "tall"))
[(protocol_body) (statements) (function_body) (computed_property) (willset_didset_block)] @body
((switch_statement) @body (#set! after "{"))

(function_declaration (function_body (statements) @body))
(init_declaration (function_body (statements) @body))
(deinit_declaration (function_body (statements) @body))
(lambda_literal (statements) @body)
(switch_entry (statements) @body)
(computed_getter (statements) @body)
(computed_setter (statements) @body)
(willset_clause (statements) @body)
(didset_clause (statements) @body)
(if_statement (statements) @body)
(guard_statement (statements) @body)
(for_statement (statements) @body)
(while_statement (statements) @body)
(repeat_while_statement (statements) @body)
(do_statement (statements) @body)
(catch_block (statements) @body)

; Children that are not the body, even if there is no other child.
(if_statement condition: (_) @frame)
(guard_statement condition: (_) @frame)
(while_statement condition: (_) @frame)
(repeat_while_statement condition: (_) @frame)
(catch_block error: (_) @frame)
(lambda_literal type: (_) @frame)
(lambda_literal captures: (_) @frame)

(property_declaration computed_value: (computed_property (statements) @body))
(subscript_declaration (computed_property (statements) @body))
(property_declaration computed_value: (_) @body)
(property_declaration value: [(call_expression) (lambda_literal) (array_literal)
  (dictionary_literal)] @body)
(subscript_declaration (computed_property) @body)
(call_expression (call_suffix (lambda_literal) @body))
(call_expression (call_suffix (value_arguments) @body))

(source_file (shebang_line) @head)

; @late: the grammar may end such a node with the line breaks that follow it.
[(statements) (switch_entry)] @late
; @outdented: such a node may have the indentation of the line that opens its block.
(switch_statement (switch_entry) @outdented)

; @transparent: the children of such a node count as children of its parent. The grammar nests the types of `A & B`.
(protocol_composition_type (protocol_composition_type) @transparent)

; @mistake: see c/bodies.scm.
((call_expression (simple_identifier) @mistake) (#any-of? @mistake "else" "catch"))
