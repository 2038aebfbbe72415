; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts.

[(string) (comment)] @protected
