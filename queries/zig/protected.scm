; Whose lines keep their bytes when text is re-indented, and inside which every blank counts. The blanks
; before the lines of a `\\` string are none of it: they move "together".

(string) @protected
((multiline_string) @protected (#set! lines "together"))
