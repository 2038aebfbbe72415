; Whose lines keep their bytes when text is re-indented, and inside which every blank counts.

[(double_quoted_string) (single_quoted_string) (json_string) (heredoc_block)] @protected
