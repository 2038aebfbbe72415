; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; "after": the token that precedes the members.

[(declaration_list) (block) (accessor_list) (enum_member_declaration_list) (switch_body)] @body
((switch_section) @body (#set! after ":"))
((switch_expression) @body (#set! after "{"))
((preproc_if) @body (#set! members "apart"))
(preproc_if condition: (_) @head)

(invocation_expression arguments: (_) @body)
(object_creation_expression arguments: (_) @body)
(implicit_object_creation_expression (argument_list) @body)
(attribute (attribute_argument_list) @body)

; @unindented: a line that starts with it is never re-indented. It is mostly at column 0, whatever the
; indentation of the lines around it.
["#if" "#elif" "#else" "#endif" "#line" "#warning" "#error" "#define" "#undef" "#pragma"
 "#nullable"] @unindented
; @outdented: such a node may have the indentation of the line that opens its block.
(block (labeled_statement) @outdented)
(switch_body (switch_section) @outdented)
; @deeper: such a node is indented deeper than the first line of its parent, without enclosing brackets.
(if_statement consequence: (_) @deeper)
(while_statement body: (_) @deeper)
(for_statement body: (_) @deeper)
(foreach_statement body: (_) @deeper)

; @flush: a line that starts with it may be indented like the line that its parent starts in, or deeper.
(switch_section ["case" "default"] @flush)

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
; @last_clause: one that follows even those.
"catch" @clause
"else" @later_clause
"finally" @last_clause

; @transparent: the children of such a node count as children of its parent. The grammar nests the patterns of `a or b`.
(or_pattern (or_pattern) @transparent)

; @mistake: see c/bodies.scm.
((identifier) @mistake (#any-of? @mistake "else" "catch" "finally"))

; @terminator: a `;` that follows a declaration or statement in its line belongs to it.
(block (empty_statement) @terminator)
