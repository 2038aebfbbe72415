; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.

[(block) (field_declaration_list) (interface_type) (literal_value) (import_spec_list)
 (var_spec_list) (expression_switch_statement) (type_switch_statement) (select_statement)] @body
(type_spec type: [(struct_type) (interface_type)] @body)
(call_expression arguments: (argument_list) @body)

; The statements of a case follow its colon.
([(expression_case) (type_case) (communication_case) (default_case)] @body (#set! after ":"))

; @transparent: the children of such a node count as children of its parent. The grammar puts statements into
; such a node, without the comments before the first and after the last one.
(statement_list) @transparent

; @flush: a line that starts with it may be indented like the line that its parent starts in, or deeper.
[(expression_case) (type_case) (communication_case) (default_case)] @flush

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
"else" @later_clause

; @ends_with_line: see javascript/bodies.scm.
[(return_statement) (break_statement) (continue_statement)] @ends_with_line

; @terminator: a `;` that follows a declaration in its line belongs to it.
(source_file ";" @terminator)
