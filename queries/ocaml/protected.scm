; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts. Comments
; are not protected: their lines move with the code that they describe.

[(string) (quoted_string)] @protected
