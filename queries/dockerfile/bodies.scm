; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; @head stays first in its body.

(source_file) @body
[(shell_command) (json_string_array)] @body

; Parser directives stay first in the file.
((source_file (comment) @head)
  (#starts-with? @head "# syntax=" "#syntax=" "# escape=" "#escape=" "# check=" "#check="))
