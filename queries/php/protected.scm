; Whose lines keep their bytes when text is re-indented, and inside which every blank counts.
; Comments are none of them: the stars of a doc comment move with what it is about.

[(string) (encapsed_string) (heredoc) (nowdoc) (shell_command_expression) (text)] @protected
