; General words (docs/pointing.md) for the node types of tree-sitter-lua 0.5.0.

; A function is the whole declaration: `local f = function() end`, `M.f = function() end`,
; `f = function() end` in a table.
(field value: (function_definition) @function (#set! is "not"))
(assignment_statement (expression_list value: (function_definition) @function) (#set! is "not"))
(variable_declaration
  (assignment_statement (expression_list value: (function_definition))) @function (#set! is "not"))
(variable_declaration
  (assignment_statement (expression_list value: (function_definition)))) @function
(assignment_statement (expression_list value: (function_definition))) @function
(field value: (function_definition)) @function
[(function_declaration) (function_definition)] @function
(function_declaration name: (method_index_expression)) @method
[(variable_declaration) (assignment_statement)] @variable
(field) @field
(parameters (_) @parameter)
(arguments (_) @argument)
; A call is a statement only by itself, and an assignment after `local` is a part of its statement.
(variable_declaration (assignment_statement) @statement (#set! is "not"))
(chunk (function_call) @statement)
(block (function_call) @statement)
[(assignment_statement) (break_statement) (do_statement) (for_statement) (goto_statement)
 (if_statement) (label_statement) (repeat_statement) (while_statement)
 (return_statement) (function_declaration) (variable_declaration)] @statement
[(binary_expression) (false) (function_call) (function_definition) (nil) (number)
 (parenthesized_expression) (string) (table_constructor) (true) (unary_expression)
 (vararg_expression) (bracket_index_expression) (dot_index_expression) (identifier)] @expression
(block) @block
(function_call) @call
(comment) @comment
(string) @string
(field) @property
(table_constructor (_) @element)
[(function_declaration) (variable_declaration)] @item
[(arguments) (parameters) (table_constructor) (expression_list) (variable_list)] @list
(attribute) @attribute
(field name: (_) @key)
