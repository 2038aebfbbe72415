; Whose lines keep their bytes when text is re-indented.

(comment) @protected
