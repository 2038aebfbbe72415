; What travels with a node. @attached.<kind>: kinds are told apart when new content brings
; its own.

[(line_comment outer: (_)) (block_comment outer: (_))] @attached.doc
(attribute_item) @attached.attribute
; In a tuple struct it is no part of its field's node.
(ordered_field_declaration_list (visibility_modifier) @attached.visibility)
