; Lists: what sets their members apart belongs to the list (settings as in rust/lists.scm). The
; formatter keeps the members of a list on lines of their own if there is a comma behind the last.

([(parameters) (arguments) (initializer_list) (call_expression) (error_set_declaration)] @list
  (#set! trailing "lines"))
([(struct_declaration) (union_declaration) (enum_declaration) (switch_expression)] @list
  (#set! trailing "lines") (#set! opens "lines"))
((source_file (container_field)) @list (#set! trailing "lines") (#set! opens "lines"))
(payload) @list

; Members that need no separator behind them.
[(function_declaration) (variable_declaration) (test_declaration) (comptime_declaration)
 (using_namespace_declaration)] @unseparated
