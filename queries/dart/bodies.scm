; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; "after": the token that precedes the members. "tall": blank lines separate definitions of several lines if
; the file does not show otherwise.

([(source_file) (class_body) (extension_body)] @body (#set! spacing "tall"))
[(block) (enum_body) (switch_block)] @body
([(switch_statement_case) (switch_statement_default)] @body (#set! after ":"))
((switch_expression) @body (#set! after "{"))

(member_declaration (method_declaration) @body)
(method_declaration (function_body (block) @body))
(function_declaration (function_body (block) @body))
(getter_declaration (function_body (block) @body))
(setter_declaration (function_body (block) @body))
(local_function_declaration (function_body (block) @body))
(function_expression (function_expression_body (block) @body))
(local_variable_declaration (initialized_variable_declaration) @body)
(initialized_variable_declaration value: [(function_expression) (list_literal) (set_or_map_literal)
  (call_expression) (switch_expression)] @body)
(call_expression arguments: (_) @body)
(new_expression arguments: (_) @body)
(const_object_expression arguments: (_) @body)
(enum_entry (arguments) @body)
(map_element value: [(function_expression) (list_literal) (set_or_map_literal)
  (call_expression)] @body)

(source_file (script_tag) @head)
(source_file (library_name) @head)

; @flush: a line that starts with it may be indented like the line that its parent starts in, or deeper.
[(switch_statement_case) (switch_statement_default)] @flush

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
; @last_clause: one that follows even those.
"catch" @clause
"else" @later_clause
"finally" @last_clause
