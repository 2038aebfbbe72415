; General words (docs/pointing.md) for the node types of tree-sitter-r 1.3.0.

(binary_operator operator: ["<-" "<<-" "="] rhs: (function_definition)) @function
(function_definition) @function
(argument value: (function_definition)) @method
((binary_operator rhs: (call function: (identifier) @_call)) @class
  (#any-of? @_call "R6Class" "setRefClass" "setClass" "new_class" "ggproto"))
(binary_operator operator: ["<-" "<<-" "=" "->" "->>"]) @variable
(parameter) @parameter
(argument) @argument
(program (_) @statement)
(braced_expression body: (_) @statement)
[(if_statement) (for_statement) (while_statement) (repeat_statement)] @statement
[(binary_operator) (unary_operator) (call) (subset) (subset2) (extract_operator) (namespace_operator)
 (function_definition) (braced_expression) (parenthesized_expression) (identifier) (string) (integer)
 (float) (complex) (true) (false) (null) (na) (inf) (nan)] @expression
(braced_expression) @block
(call) @call
((call function: (identifier) @_call) @import (#any-of? @_call "library" "require" "source"))
(comment) @comment
(string) @string
(program (_) @item)
[(arguments) (parameters)] @list
