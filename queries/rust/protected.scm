; Whose lines keep their bytes when text is re-indented.

[(string_literal) (raw_string_literal) (block_comment)] @protected
