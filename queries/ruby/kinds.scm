; General words (docs/pointing.md) for the node types of tree-sitter-ruby 0.23.1.

[(method) (singleton_method)] @function
[(method) (singleton_method)] @method
[(class) (singleton_class)] @class
(module) @module
[(assignment) (operator_assignment)] @variable
[(optional_parameter) (keyword_parameter) (splat_parameter) (hash_splat_parameter)
 (block_parameter) (destructured_parameter) (forward_parameter)] @parameter
(method_parameters (identifier) @parameter)
(block_parameters (identifier) @parameter)
(lambda_parameters (identifier) @parameter)
(argument_list (_) @argument)
[(alias) (undef) (if_modifier) (unless_modifier) (while_modifier) (until_modifier)
 (rescue_modifier) (begin_block) (end_block) (return) (break) (next) (redo) (retry) (if)
 (unless) (while) (until) (for) (case) (case_match)
 (begin) (method) (singleton_method) (class) (singleton_class) (module)
 (match_pattern) (test_pattern)] @statement
; A call is a statement only by itself, not as a part of `x = foo` or `foo if y`.
([(comment) (rescue) (else) (ensure) (heredoc_body) (empty_statement) (uninterpreted)] @statement
  (#set! is "not"))
(program (_) @statement)
(body_statement (_) @statement)
(block_body (_) @statement)
(then (_) @statement)
(else (_) @statement)
(ensure (_) @statement)
(do (_) @statement)
(begin (_) @statement)
(parenthesized_statements (_) @statement)
(begin_block (_) @statement)
(end_block (_) @statement)
[(assignment) (operator_assignment) (binary) (unary) (conditional) (range) (call) (array) (hash)
 (string) (chained_string) (string_array) (symbol_array) (simple_symbol) (delimited_symbol)
 (regex) (subshell) (lambda) (integer) (float) (rational) (complex) (character) (identifier)
 (constant) (scope_resolution) (element_reference) (instance_variable) (class_variable)
 (global_variable) (self) (super) (nil) (true) (false) (parenthesized_statements)
 (heredoc_beginning) (if) (unless) (case) (case_match) (begin) (yield)] @expression
[(body_statement) (block_body) (block) (do_block) (then) (else) (ensure) (rescue) (do) (begin)] @block
(call) @call
(comment) @comment
[(string) (chained_string) (heredoc_body) (heredoc_beginning) (string_array) (character)
 (subshell)] @string
(pair) @property
(array (_) @element)
(string_array (_) @element)
(symbol_array (_) @element)
[(class) (module) (method) (singleton_method) (singleton_class)] @item
[(when) (in_clause)] @item
[(array) (hash) (argument_list) (method_parameters) (block_parameters) (lambda_parameters)
 (string_array) (symbol_array)] @list
[(when) (in_clause)] @case
(case (else) @case)
(case_match (else) @case)
(pair key: (_) @key)
(keyword_pattern key: (_) @key)
