; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm. With a trailing comma, the formatter keeps members on their own lines.

([(parameters) (arguments) (initializer_list) (call_expression) (error_set_declaration)] @list
  (#set! trailing "lines"))
([(struct_declaration) (union_declaration) (enum_declaration) (switch_expression)] @list
  (#set! trailing "lines") (#set! opens "lines"))
((source_file (container_field)) @list (#set! trailing "lines") (#set! opens "lines"))
(payload) @list

; Members that need no separator after them.
[(function_declaration) (variable_declaration) (test_declaration) (comptime_declaration)
 (using_namespace_declaration)] @unseparated
