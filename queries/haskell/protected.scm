; Whose lines keep their bytes when text is re-indented, and inside which every blank counts.

[(string) (quasiquote)] @protected
