; Whose lines keep their bytes when text is re-indented, and inside which every blank counts.

[(string_literal) (raw_string_literal) (block_comment)] @protected
