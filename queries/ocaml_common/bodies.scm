; Bodies that only an OCaml implementation file (`.ml`) has: the shebang line stays first.

(shebang) @head
