; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; A @frame is a child that is not a member.

((source_file) @body (#set! spacing "tall"))
([(module_definition) (struct_definition) (function_definition) (macro_definition) (if_statement)
  (elseif_clause) (for_statement) (while_statement) (let_statement) (do_clause)] @body
  (#set! members "lines"))
((compound_statement) @body (#set! after "begin"))
((quote_statement) @body (#set! after "quote"))
((try_statement) @body (#set! after "try"))
((else_clause) @body (#set! after "else"))
((finally_clause) @body (#set! after "finally"))

(module_definition ["module" "baremodule" "end"] @frame)
(module_definition name: (_) @frame)
(struct_definition ["mutable" "struct" "end"] @frame)
(struct_definition (type_head) @frame)
(function_definition ["function" "end"] @frame)
(function_definition (signature) @frame)
(macro_definition ["macro" "end"] @frame)
(macro_definition (signature) @frame)
(if_statement ["if" "end"] @frame)
(if_statement condition: (_) @frame)
(if_statement alternative: (_) @frame)
(elseif_clause "elseif" @frame)
(elseif_clause condition: (_) @frame)
(for_statement ["for" "," "end"] @frame)
(for_statement (for_binding) @frame)
(while_statement ["while" "end"] @frame)
(while_statement condition: (_) @frame)
(let_statement ["let" "," "end"] @frame)
(let_statement (let_binding) @frame)
(do_clause ["do" "end"] @frame)
(do_clause (argument_list) @frame)
(try_statement [(catch_clause) (else_clause) (finally_clause) "end"] @frame)

; The arguments of a call or a macro, and the value of an assignment.
(call_expression (do_clause) @body)
(call_expression (argument_list) @body)
(macrocall_expression (macro_argument_list [(compound_statement) (for_statement) (let_statement)
  (function_definition) (struct_definition)] @body))
(assignment [(function_definition) (compound_statement) (vector_expression) (tuple_expression)
  (let_statement)] @body)
(const_statement (assignment [(function_definition) (vector_expression) (tuple_expression)] @body))
(try_statement (finally_clause) @body)

; @late: the grammar may end such a node with the line break that follows it.
[(elseif_clause) (else_clause) (catch_clause) (finally_clause)] @late
(do_clause (argument_list) @late)

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
; @last_clause: one that follows even those.
["elseif" "catch"] @clause
"else" @later_clause
"finally" @last_clause

; @ends_with_line: see javascript/bodies.scm.
(return_statement) @ends_with_line
