; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts. A
; heredoc that starts with `<<-` is not protected: the indentation that its lines share is removed from it.

[(string_lit) (quoted_template)] @protected
((heredoc_template (heredoc_start) @_start) @protected (#eq? @_start "<<"))
