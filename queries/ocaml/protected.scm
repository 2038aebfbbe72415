; Whose lines keep their bytes when text is re-indented, and inside which every blank counts.
; Comments are none of them: their lines move with what they are about.

[(string) (quoted_string)] @protected
