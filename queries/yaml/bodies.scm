; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; The members of a block collection are on "lines" of their own, in the "column" of the first one, which may
; follow a dash on its line.

([(block_mapping) (block_sequence)] @body (#set! members "column"))

(block_mapping_pair value: (_) @body)

; The body of a key without a value starts after its colon.
((block_mapping_pair !value) @body (#set! members "lines") (#set! after ":"))

; @flush_item: an item may have the indentation of the key of its sequence.
((block_sequence_item) @flush_item (#set! begins "-"))
