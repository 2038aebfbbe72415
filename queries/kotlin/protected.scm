; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts. Comments
; are not protected: the `*` at the start of their lines moves with the code that they describe.

[(string_literal) (multiline_string_literal)] @protected
