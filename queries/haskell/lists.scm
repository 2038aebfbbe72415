; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm and ocaml/lists.scm.

([(exports) (import_list) (children) (fields) (record "{") (list) (tuple)] @list
  (#set! begins "lines"))
((data_constructors) @list (#set! separator " |") (#set! begins "lines") (#set! inside "none"))
