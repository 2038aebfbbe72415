; Whose lines keep their bytes when text is re-indented, and inside which every blank counts.
; Comments are none of them: the stars of a comment move with what it is about.

(string_literal) @protected
