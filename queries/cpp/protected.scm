; Whose lines keep their bytes, in C++ beside C.

(raw_string_literal) @protected
