; Whose lines keep their bytes when text is re-indented, and inside which every blank counts. What all
; lines of a `''` string have in front is none of it: they move "together", or not at all.

(string_expression) @protected
((indented_string_expression) @protected (#set! lines "together"))
