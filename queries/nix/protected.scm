; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts. The
; indentation that all lines of a `''` string share is not part of it: they are re-indented "together" or not
; at all.

(string_expression) @protected
((indented_string_expression) @protected (#set! lines "together"))
