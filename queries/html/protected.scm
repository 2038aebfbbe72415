; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts. The
; lines of a comment are re-indented with the code that it describes.

((comment) @protected (#set! lines "together"))
(quoted_attribute_value) @protected
((element (start_tag (tag_name) @_tag)) @protected
  (#any-of? @_tag "pre" "textarea" "listing" "xmp" "PRE" "TEXTAREA"))
