; Bodies: the part of a node into which first_child and last_child insert. The members are on "lines" of their
; own, separated by "blank" lines if the file does not show otherwise.

([(document) (section) (block_quote)] @body (#set! members "lines") (#set! spacing "blank"))
([(list) (list_item) (pipe_table)] @body (#set! members "lines"))

; A @marker starts the first line of its body; the other lines have the indentation of the text that follows
; it. A @head stays first in a body that starts with it.
[(list_marker_minus) (list_marker_plus) (list_marker_star) (list_marker_dot)
 (list_marker_parenthesis) (block_quote_marker)] @marker
[(task_list_marker_checked) (task_list_marker_unchecked)] @head
; Only the first heading of a section stays first: underlined headings start no section of their own, so a
; section may contain several.
(section . [(atx_heading) (setext_heading)] @head)
[(pipe_table_header) (pipe_table_delimiter_row)] @head

; @line_sign: each line of a quote starts with it.
((block_quote_marker) @line_sign (#set! begins ">"))

; A @margin starts a line inside a container (`> `, or the indentation of an item). The grammar may end a node
; with the margin of the following line, which is not part of the node.
(block_continuation) @margin
