; Whose lines keep their bytes when text is re-indented, and inside which every blank counts. What `<<-`
; begins loses the indentation that all its lines share.

[(string_lit) (quoted_template)] @protected
((heredoc_template (heredoc_start) @_start) @protected (#eq? @_start "<<"))
