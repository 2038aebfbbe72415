; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own. @head stays first in its body.

(source_file) @body
([(arg_instruction) (env_instruction) (label_instruction) (expose_instruction)
  (volume_instruction) (copy_instruction) (add_instruction)] @body (#set! opens "inline"))

[(shell_command) (json_string_array)] @body

; What tells the builder how to read the file begins it.
((source_file (comment) @head)
  (#starts-with? @head "# syntax=" "#syntax=" "# escape=" "#escape=" "# check=" "#check="))
