; Whose lines keep their bytes when text is re-indented, and inside which every blank counts. What the lines
; of a `"""` share before them is none of it: they move "together".

((string_literal) @protected (#starts-with? @protected "\"\"\"") (#set! lines "together"))
[(string_literal) (prefixed_string_literal) (command_literal) (prefixed_command_literal)
 (block_comment)] @protected
