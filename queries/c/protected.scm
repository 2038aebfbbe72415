; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts. The
; lines of a comment are re-indented with the code that it describes.
; The lines of a macro end in `\`.

((comment) @protected (#set! lines "together"))
[(string_literal) (preproc_arg)] @protected
; The body of a macro: the grammar does not parse it.
(preproc_arg) @code
