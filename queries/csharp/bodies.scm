; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own. What stands "after" a sign is inside.

[(declaration_list) (block) (accessor_list) (enum_member_declaration_list) (switch_body)] @body
((switch_section) @body (#set! after ":"))
((switch_expression) @body (#set! after "{"))
((preproc_if) @body (#set! members "apart"))
(preproc_if condition: (_) @head)

(invocation_expression arguments: (_) @body)
(object_creation_expression arguments: (_) @body)
(implicit_object_creation_expression (argument_list) @body)
(attribute (attribute_argument_list) @body)

; Lines that stand where they are written, mostly at column 0, however deep those round them are.
["#if" "#elif" "#else" "#endif" "#line" "#warning" "#error" "#define" "#undef" "#pragma"
 "#nullable"] @unindented
; What may stand as deep as the line its block opens in.
(block (labeled_statement) @outdented)
(switch_body (switch_section) @outdented)
; What stands deeper than its first line with no bracket round it.
(if_statement consequence: (_) @deeper)
(while_statement body: (_) @deeper)
(for_statement body: (_) @deeper)
(foreach_statement body: (_) @deeper)

; @flush: a line that starts with it may be as deep as the line its parent starts in, or deeper.
(switch_section ["case" "default"] @flush)

; @header: a statement that starts with it may go on in the next line, without a bracket.
["if" "for" "while" "else" "switch" "with" "foreach" "catch"] @header
