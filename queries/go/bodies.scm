; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own.

[(block) (field_declaration_list) (interface_type) (literal_value) (import_spec_list)
 (var_spec_list) (expression_switch_statement) (type_switch_statement) (select_statement)] @body
(type_spec type: [(struct_type) (interface_type)] @body)
(call_expression arguments: (argument_list) @body)

; The statements of a case stand behind its colon.
([(expression_case) (type_case) (communication_case) (default_case)] @body (#set! after ":"))

; The grammar puts statements, but not the comments before the first and behind the last, into a
; node of their own, which is nothing to a person.
(statement_list) @transparent

; @flush: a line that starts with it may be as deep as the line its parent starts in, or deeper.
[(expression_case) (type_case) (communication_case) (default_case)] @flush
