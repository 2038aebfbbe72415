; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; The formatter removes a trailing comma.

[(arguments) (list) (tuple) (bitstring) (map_content)] @list
((keywords) @list (#set! empty "goes"))

; The map that is updated is not a member: `order` in `%{order | lines: []}`.
(map_content (binary_operator operator: "|") @frame)
