; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts. The word
; that ends a heredoc is at the start of its line.

[(string) (raw_string) (ansi_c_string) (translated_string) (heredoc_redirect) (heredoc_body)] @protected

; @opens_heredoc: lines that follow its line belong to it, up to the one that consists of the word after `begins`.
; @ends_heredoc: that word. If one line opens several, the grammar may take their ends for commands.
((heredoc_redirect) @opens_heredoc (#set! begins "<<"))
(heredoc_end) @ends_heredoc
