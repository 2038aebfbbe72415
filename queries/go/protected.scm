; Whose lines keep their bytes when text is re-indented, and inside which every blank counts.

[(raw_string_literal) (interpreted_string_literal) (comment)] @protected
