; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts.

[(double_quoted_string) (single_quoted_string) (json_string) (heredoc_block)] @protected
