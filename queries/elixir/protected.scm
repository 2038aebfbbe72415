; Whose lines keep their bytes when text is re-indented, and inside which every blank counts. What the
; sign that ends a heredoc has in front is none of its lines': they move "together", or not at all.

((string quoted_start: "\"\"\"") @protected (#set! lines "together"))
((charlist quoted_start: "'''") @protected (#set! lines "together"))
((sigil quoted_start: ["\"\"\"" "'''"]) @protected (#set! lines "together"))
[(string) (charlist) (sigil) (quoted_atom)] @protected
