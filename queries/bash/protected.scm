; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts. The word
; that ends a heredoc is at the start of its line.

[(string) (raw_string) (ansi_c_string) (translated_string) (heredoc_redirect) (heredoc_body)] @protected
