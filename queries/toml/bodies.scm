; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; The pairs of a table are on "lines" of their own below its header, which stays first.

(document) @body
([(table) (table_array_element)] @body (#set! members "lines"))
(table ["[" "]" (bare_key) (quoted_key) (dotted_key)] @head)
(table_array_element ["[[" "]]" (bare_key) (quoted_key) (dotted_key)] @head)

(pair [(array) (inline_table)] @body)
