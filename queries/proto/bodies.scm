; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; "after": the token that precedes the members.

[(message_body) (enum_body)] @body
([(service) (oneof)] @body (#set! after "{"))
((rpc "{") @body (#set! after "{"))

; @terminator: a `;` that follows a definition belongs to it.
(source_file (empty_statement) @terminator)
(message_body (empty_statement) @terminator)
