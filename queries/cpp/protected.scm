; Text whose lines keep their bytes, in addition to that of C.

(raw_string_literal) @protected
