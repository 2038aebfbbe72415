; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts. Comments
; are not protected: the `*` at the start of their lines moves with the code that they describe.

[(line_string_literal) (multi_line_string_literal) (raw_string_literal)
  (diagnostic)] @protected
