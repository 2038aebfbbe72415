; Text whose lines keep their bytes when code is re-indented, and inside which all whitespace counts.

[(string) (heredoc_body) (subshell) (regex)] @protected
; `=begin` and `=end` must be at the start of their lines.
((comment) @protected (#starts-with? @protected "=begin"))

; @moves: the indentation that the lines of a `<<~` heredoc share is removed from its text.
((heredoc_beginning) @moves (#starts-with? @moves "<<~"))
