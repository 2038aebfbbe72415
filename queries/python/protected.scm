; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts.

; A docstring is re-indented with its code: Python's `inspect.cleandoc` removes the indentation that its lines
; share. A string that is a statement has no other use.
((expression_statement [(string) (concatenated_string)] @protected) (#set! lines "together"))
[(string) (comment)] @protected
