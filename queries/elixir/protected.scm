; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts. The
; indentation that the closing delimiter of a heredoc has is not part of its lines: they are re-indented
; "together" or not at all.

((string quoted_start: "\"\"\"") @protected (#set! lines "together"))
((charlist quoted_start: "'''") @protected (#set! lines "together"))
((sigil quoted_start: ["\"\"\"" "'''"]) @protected (#set! lines "together"))
[(string) (charlist) (sigil) (quoted_atom)] @protected
