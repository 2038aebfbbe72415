; General words.

(function_definition) @function
(let_statement) @variable
[(let_statement) (call_statement)] @statement
(block) @block
(call) @call
(arguments (_) @argument)
(parameters (_) @parameter)
(string) @string
(comment) @comment
