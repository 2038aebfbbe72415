; Lists: what sets their members apart belongs to the list; an insertion adds it, a deletion takes
; it out. Settings: see queries/rust/lists.scm.

; Without its last base a class has no brackets.
(class_definition superclasses: (argument_list) @list (#set! trailing "lines") (#set! empty "goes"))
([(argument_list) (parameters) (list) (set) (dictionary) (list_pattern) (dict_pattern)
  (class_pattern)] @list
  (#set! trailing "lines"))
; A type's arguments may be several, or one tuple: none gets a comma it had not.
((subscript) @list)
([(tuple) (tuple_pattern)] @list (#set! trailing "lines") (#set! single "separated"))
([(expression_list) (pattern_list)] @list (#set! single "separated"))
((type_parameter) @list (#set! trailing "lines") (#set! empty "goes"))
([(lambda_parameters) (global_statement) (nonlocal_statement) (import_statement) (with_clause)] @list)
([(import_from_statement) (future_import_statement)] @list (#set! trailing "lines"))
((union_pattern) @list (#set! separator " |"))

; What names are imported from is none of them, nor a word before them.
(import_from_statement module_name: (_) @frame)
(import_from_statement "import" @frame)
(future_import_statement ["__future__" "import"] @frame)
