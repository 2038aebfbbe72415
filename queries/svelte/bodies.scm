; Bodies: the part of a node into which first_child and last_child insert, after the tag that starts it and before the
; one that ends it. @frame: a child that is not a member.

([(await_statement) (each_statement) (if_statement) (key_statement) (snippet_statement) (catch_block) (else_block)
  (else_if_block) (then_block)] @body (#set! members "prose"))

[(await_start) (await_end) (catch_start) (each_start) (each_end) (else_start) (else_if_start) (if_start) (if_end)
 (key_start) (key_end) (snippet_start) (snippet_end) (then_start)] @frame

; @branch: a further branch of its parent, which holds the members of the first one itself.
[(catch_block) (else_block) (else_if_block) (then_block)] @branch
[(catch_block) (else_block) (else_if_block) (then_block)] @frame

[(expression) (html_tag) (render_tag)] @words
