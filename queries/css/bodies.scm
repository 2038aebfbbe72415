; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own.

[(block) (keyframe_block_list)] @body
