; Lists: what sets their members apart belongs to the list; an insertion adds it, a deletion takes
; it out. The formatter leaves no comma behind a last member.

[(arguments) (list) (tuple) (bitstring) (map_content)] @list
((keywords) @list (#set! empty "goes"))

; The map of which one with other values is made is no member: `%{order | lines: []}`.
(map_content (binary_operator operator: "|") @frame)
