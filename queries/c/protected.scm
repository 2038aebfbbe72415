; Whose lines keep their bytes when text is re-indented, and inside which every blank counts.
; The lines of a macro end in `\`.

[(string_literal) (comment) (preproc_arg)] @protected
