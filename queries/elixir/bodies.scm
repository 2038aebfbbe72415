; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own. What stands "after" a word is inside.

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

; A module's docs stay first in it.
(do_block (unary_operator operator: "@" operand: (call target: (identifier) @_at)) @head
  (#eq? @_at "moduledoc"))

; The grammar lets it end with the line breaks behind it.
[(stab_clause) (body)] @late

; A pipe stands as deep as what it begins with.
(binary_operator operator: "|>" @outdented)
