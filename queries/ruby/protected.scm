; Whose lines keep their bytes when text is re-indented, and inside which every blank counts.

[(string) (heredoc_body) (subshell) (regex)] @protected
; `=begin` and `=end` begin their lines.
((comment) @protected (#starts-with? @protected "=begin"))

; What `<<~` begins loses the indentation that all its lines share.
((heredoc_beginning) @moves (#starts-with? @moves "<<~"))
