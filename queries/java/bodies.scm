; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own. @head stays first in its body.

[(class_body) (interface_body) (enum_body) (annotation_type_body) (block) (constructor_body)
 (switch_block) (module_body)] @body
(method_invocation arguments: (argument_list) @body)
(object_creation_expression arguments: (argument_list) @body)
(annotation arguments: (annotation_argument_list) @body)

; The statements of a case stand behind its colon.
((switch_block_statement_group) @body (#set! after ":"))

; `super(...)` is the first statement of its constructor.
(explicit_constructor_invocation) @head

; What follows the constants of an enum is a node of its own, which is nothing to a person.
(enum_body_declarations) @transparent

; @flush: a line that starts with it may be as deep as the line its parent starts in, or deeper.
[(switch_block_statement_group) (switch_rule) (switch_label)] @flush

; @header: a statement that starts with it may go on in the next line, without a bracket.
["if" "for" "while" "else" "switch" "with" "catch"] @header
