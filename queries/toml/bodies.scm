; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own. The pairs of a table stand on "lines" of their own below its header,
; which stays first.

(document) @body
([(table) (table_array_element)] @body (#set! members "lines"))
(table ["[" "]" (bare_key) (quoted_key) (dotted_key)] @head)
(table_array_element ["[[" "]]" (bare_key) (quoted_key) (dotted_key)] @head)

(pair [(array) (inline_table)] @body)
