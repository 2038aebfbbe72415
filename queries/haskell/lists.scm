; Lists: what sets their members apart belongs to the list; an insertion adds it, a deletion takes
; it out. Settings are those of rust/lists.scm and ocaml/lists.scm.

([(exports) (import_list) (children) (fields) (record "{") (list) (tuple)] @list
  (#set! begins "lines"))
((data_constructors) @list (#set! separator " |") (#set! begins "lines") (#set! inside "none"))
