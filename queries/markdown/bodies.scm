; Bodies: where the inside of a node is, into which first_child and last_child insert. Their
; members stand on "lines" of their own, set off by "blank" lines where nothing else is seen.

([(document) (section) (block_quote)] @body (#set! members "lines") (#set! spacing "blank"))
([(list) (list_item) (pipe_table)] @body (#set! members "lines"))

; A @marker begins the first line of its body, the others stand as deep as what follows it; a @head
; stays first where a body begins with it.
[(list_marker_minus) (list_marker_plus) (list_marker_star) (list_marker_dot)
 (list_marker_parenthesis) (block_quote_marker)] @marker
[(task_list_marker_checked) (task_list_marker_unchecked)] @head
; Of headings only the first of a section: underlined ones open none of their own, and stand beside each other.
(section . [(atx_heading) (setext_heading)] @head)
[(pipe_table_header) (pipe_table_delimiter_row)] @head

; @line_sign: each line of a quote begins with it.
((block_quote_marker) @line_sign (#set! begins ">"))

; A @margin is what begins a line inside a container (`> `, or an item's indentation). The grammar
; lets a node end with the margin of the line after it, which is no part of what the node says.
(block_continuation) @margin
