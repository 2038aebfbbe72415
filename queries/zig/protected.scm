; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts. The
; indentation of the lines of a `\\` string is not part of it: they are re-indented "together".

(string) @protected
((multiline_string) @protected (#set! lines "together"))
