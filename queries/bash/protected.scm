; Whose lines keep their bytes when text is re-indented, and inside which every blank counts. The
; word that ends a heredoc stands where its line begins.

[(string) (raw_string) (ansi_c_string) (translated_string) (heredoc_redirect) (heredoc_body)] @protected
