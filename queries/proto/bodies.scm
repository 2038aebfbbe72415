; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own. What stands "after" a sign is inside.

[(message_body) (enum_body)] @body
([(service) (oneof)] @body (#set! after "{"))
((rpc "{") @body (#set! after "{"))

; A definition may be followed by a `;`, which belongs to it.
(source_file (empty_statement) @terminator)
(message_body (empty_statement) @terminator)
