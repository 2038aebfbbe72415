; What moves with a node. @attached.<kind>: nodes of a kind in new content replace those of the node.

[(line_comment outer: (_)) (block_comment outer: (_))] @attached.doc
(attribute_item) @attached.attribute
; In a tuple struct the visibility is not part of the field's node.
(ordered_field_declaration_list (visibility_modifier) @attached.visibility)
