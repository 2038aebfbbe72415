; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts. The
; lines of a comment are re-indented with the code that it describes.
; The indentation that the lines of a `"""` string share is not part of it.

((string_literal) @protected (#starts-with? @protected "\"\"\"") (#set! lines "together"))
((block_comment) @protected (#set! lines "together"))
[(string_literal) (prefixed_string_literal) (command_literal) (prefixed_command_literal)] @protected
