; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; "after": the token that precedes the members.

[(source) (body)] @body
((map) @body (#set! opens "inline"))
((do_block) @body (#set! after "do"))
((else_block) @body (#set! after "else"))
((rescue_block) @body (#set! after "rescue"))
((catch_block) @body (#set! after "catch"))
((after_block) @body (#set! after "after"))
((anonymous_function) @body (#set! after "fn"))
(stab_clause right: (body) @body)
(call (do_block) @body)

(do_block [(else_block) (rescue_block) (catch_block) (after_block)] @frame)
(map (struct) @frame)

; @head: the docs of a module stay first in it.
(do_block (unary_operator operator: "@" operand: (call target: (identifier) @_at)) @head
  (#eq? @_at "moduledoc"))

; @late: the grammar may end such a node with the line breaks that follow it.
[(stab_clause) (body)] @late

; @outdented: a pipe may have the indentation of its first operand.
(binary_operator operator: "|>" @outdented)

; @deeper: such a node is indented deeper than the first line of its parent, without enclosing brackets.
(binary_operator operator: "when" @deeper)
