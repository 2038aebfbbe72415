; Bodies that only a program of OCaml has: the line that tells how it is run stays first.

(shebang) @head
