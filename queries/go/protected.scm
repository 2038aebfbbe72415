; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts. The
; lines of a comment are re-indented with the code that it describes.

((comment) @protected (#set! lines "together"))
[(raw_string_literal) (interpreted_string_literal)] @protected
