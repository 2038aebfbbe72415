; Whose lines keep their bytes when text is re-indented, and inside which every blank counts.
; Comments are none of them: the stars of a JSDoc comment move with what it is about.

[(template_string) (string)] @protected
