; Definitions and their names, as editors list them. A function has its full name, `M.f` or `M:f`, and the
; last part of that. A function that is assigned to a name is a definition of that name. A test has its
; description as its name.

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

; Other variables are symbols if they belong to the file.
(chunk (variable_declaration (assignment_statement
  (variable_list name: (identifier) @name))) @definition.variable)
(chunk (variable_declaration (variable_list name: (identifier) @name)) @definition.variable)
(chunk (assignment_statement (variable_list name: (identifier) @name)) @definition.variable)
(chunk (assignment_statement
  (variable_list name: (dot_index_expression field: (_) @alias) @name)) @definition.variable)

; The fields of a table that belongs to the file are properties.
(chunk (variable_declaration (assignment_statement (expression_list value:
  (table_constructor (field name: [(identifier) (string)] @name) @definition.property)))))
(chunk (assignment_statement (expression_list value:
  (table_constructor (field name: [(identifier) (string)] @name) @definition.property))))
(chunk (return_statement (expression_list
  (table_constructor (field name: [(identifier) (string)] @name) @definition.property))))

(function_call name: (identifier) @_word arguments: (arguments (string) @name (function_definition))
  (#any-of? @_word "describe" "it" "context" "test" "insulate" "expose" "pending")) @definition.test

; These nodes contain no definition.
[(comment) (parameters) (string)] @closed
