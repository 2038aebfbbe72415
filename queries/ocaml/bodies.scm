; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; "after": the token that precedes the members. A @frame is a child that is not a member.

((compilation_unit) @body (#set! spacing "tall"))
((structure) @body (#set! after "struct") (#set! spacing "tall"))
((signature) @body (#set! after "sig") (#set! spacing "tall"))
((object_expression) @body (#set! after "object"))
(object_expression ["(" ")"] @frame)
(object_expression self: (_) @frame)
((class_body_type) @body (#set! after "object"))
((match_expression) @body (#set! after "with"))
((function_expression) @body (#set! after "function"))
((try_expression) @body (#set! after "with"))

(module_definition (module_binding body: [(structure) (signature)] @body))
(module_binding body: [(structure) (signature)] @body)
(module_type_definition body: (signature) @body)
(class_definition (class_binding body: (object_expression) @body))
(class_binding body: (object_expression) @body)
(type_definition (type_binding body: [(record_declaration) (variant_declaration)] @body))
(type_binding body: [(record_declaration) (variant_declaration)] @body)
(value_definition (let_binding body: [(sequence_expression) (match_expression) (function_expression)
  (try_expression) (record_expression) (list_expression) (array_expression) (object_expression)] @body))
(let_binding body: [(sequence_expression) (match_expression) (function_expression) (try_expression)
  (record_expression) (list_expression) (array_expression) (object_expression)] @body)
(method_definition body: [(sequence_expression) (match_expression)] @body)
(match_case body: (sequence_expression) @body)
(parenthesized_expression expression: (sequence_expression) @body)
(do_clause (sequence_expression) @body)
(for_expression (do_clause (sequence_expression) @body))
(while_expression (do_clause (sequence_expression) @body))

; @outdented: the cases of a match may have the indentation of the line that the match starts in.
(match_expression "|" @outdented)
(function_expression "|" @outdented)
(try_expression "|" @outdented)

(compilation_unit ";;" @terminator)

; @flush: a line that starts with it may be indented like the line that its parent starts in, or deeper.
(or_pattern "|" @flush)

; @transparent: the children of such a node count as children of its parent. The grammar nests the patterns of `a | b`.
(or_pattern (or_pattern) @transparent)
