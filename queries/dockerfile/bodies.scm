; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own. @head stays first in its body.

(source_file) @body
[(shell_command) (json_string_array)] @body

; What tells the builder how to read the file begins it.
((source_file (comment) @head)
  (#starts-with? @head "# syntax=" "#syntax=" "# escape=" "#escape=" "# check=" "#check="))
