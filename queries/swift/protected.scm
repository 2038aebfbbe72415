; Whose lines keep their bytes when text is re-indented, and inside which every blank counts.
; Comments are none of them: the stars of a comment move with what it is about.

[(line_string_literal) (multi_line_string_literal) (raw_string_literal)
  (diagnostic)] @protected
