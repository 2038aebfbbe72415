; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts. The
; lines of a comment are re-indented with the code that it describes.

([(comment) (js_comment)] @protected (#set! lines "together"))
(string_value) @protected
