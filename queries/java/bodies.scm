; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; @head stays first in its body.

[(class_body) (interface_body) (enum_body) (annotation_type_body) (block) (constructor_body)
 (switch_block) (module_body)] @body
(method_invocation arguments: (argument_list) @body)
(object_creation_expression arguments: (argument_list) @body)
(annotation arguments: (annotation_argument_list) @body)

; The statements of a case follow its colon.
((switch_block_statement_group) @body (#set! after ":"))

; `super(...)` stays the first statement of its constructor.
(explicit_constructor_invocation) @head

; @transparent: the children of such a node count as children of its parent. The grammar puts the members that
; follow the constants of an enum into such a node.
(enum_body_declarations) @transparent

; @flush: a line that starts with it may be indented like the line that its parent starts in, or deeper.
[(switch_block_statement_group) (switch_rule) (switch_label)] @flush

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
; @last_clause: one that follows even those.
"catch" @clause
"else" @later_clause
"finally" @last_clause

; @terminator: a `;` that follows a declaration in its line belongs to it.
(program ";" @terminator)
(class_body ";" @terminator)
(block ";" @terminator)
