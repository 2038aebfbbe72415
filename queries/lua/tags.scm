; Names of things, as editors list them. A function goes by its whole name, `M.f` or `M:f`, and by the
; last part of it; what a name is given is one of that name. Tests go by their sentence.

(function_declaration name: (dot_index_expression field: (_) @alias) @name) @definition.function
(function_declaration name: (method_index_expression method: (_) @alias) @name) @definition.method
(function_declaration name: (_) @name) @definition.function

(variable_declaration (assignment_statement
  (variable_list name: (identifier) @name)
  (expression_list value: (function_definition)))) @definition.function
(assignment_statement
  (variable_list name: (dot_index_expression field: (_) @alias) @name)
  (expression_list value: (function_definition))) @definition.function
(field name: [(identifier) (string)] @name value: (function_definition)) @definition.function

; Of other variables those are things that belong to the file.
(chunk (variable_declaration (assignment_statement
  (variable_list name: (identifier) @name))) @definition.variable)
(chunk (variable_declaration (variable_list name: (identifier) @name)) @definition.variable)
(chunk (assignment_statement (variable_list name: (identifier) @name)) @definition.variable)
(chunk (assignment_statement
  (variable_list name: (dot_index_expression field: (_) @alias) @name)) @definition.variable)

; A table that belongs to the file has properties.
(chunk (variable_declaration (assignment_statement (expression_list value:
  (table_constructor (field name: [(identifier) (string)] @name) @definition.property)))))
(chunk (assignment_statement (expression_list value:
  (table_constructor (field name: [(identifier) (string)] @name) @definition.property))))
(chunk (return_statement (expression_list
  (table_constructor (field name: [(identifier) (string)] @name) @definition.property))))

(function_call name: (identifier) @_word arguments: (arguments (string) @name (function_definition))
  (#any-of? @_word "describe" "it" "context" "test" "insulate" "expose" "pending")) @definition.test

; Below these the grammar has no definition.
[(comment) (parameters) (string)] @closed
