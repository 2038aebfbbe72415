; Text whose lines keep their bytes in C++, besides that of C (c/protected.scm).

(raw_string_literal) @protected
