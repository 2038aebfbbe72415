; What travels with a node. @attached.<kind>: kinds are told apart when new content brings
; its own.

[(line_comment outer: (_)) (block_comment outer: (_))] @attached.doc
(attribute_item) @attached.attribute
