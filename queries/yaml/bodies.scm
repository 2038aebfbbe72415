; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own. What is in a block collection stands on "lines" of its own, each as far
; in as the first, which may share its line with a dash.

([(block_mapping) (block_sequence)] @body (#set! members "column"))

(block_mapping_pair value: (_) @body)

; A key without a value opens up behind its colon.
((block_mapping_pair !value) @body (#set! members "lines") (#set! after ":"))

; @flush_item: an item may be as deep as the key of its sequence.
((block_sequence_item) @flush_item (#set! begins "-"))
