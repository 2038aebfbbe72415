; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm.

; A class loses its parentheses when its last base is deleted.
(class_definition superclasses: (argument_list) @list (#set! trailing "lines") (#set! empty "goes"))
([(argument_list) (parameters) (list) (set) (dictionary) (list_pattern) (dict_pattern)
  (class_pattern)] @list
  (#set! trailing "lines"))
; A trailing comma turns a single argument of a type into a tuple, so none is added.
((subscript) @list)
([(tuple) (tuple_pattern)] @list (#set! trailing "lines") (#set! single "separated"))
([(expression_list) (pattern_list)] @list (#set! single "separated"))
((type_parameter) @list (#set! trailing "lines") (#set! empty "goes"))
([(lambda_parameters) (global_statement) (nonlocal_statement) (import_statement) (with_clause)] @list)
([(import_from_statement) (future_import_statement)] @list (#set! trailing "lines"))
((union_pattern) @list (#set! separator " |"))

; The module that names are imported from is not a member, nor is a keyword before them.
(import_from_statement module_name: (_) @frame)
(import_from_statement "import" @frame)
(future_import_statement ["__future__" "import"] @frame)
