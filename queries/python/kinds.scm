; General words (docs/pointing.md) for the node types of tree-sitter-python 0.25.0.

(function_definition) @function
(class_definition body: (block (function_definition) @method))
(class_definition body: (block (decorated_definition definition: (function_definition) @method)))
(class_definition) @class
(type_alias_statement) @type
(type) @type
(assignment) @variable
(class_definition body: (block (expression_statement (assignment)) @field))
[(typed_parameter) (default_parameter) (typed_default_parameter)] @parameter
(parameters [(identifier) (list_splat_pattern) (dictionary_splat_pattern) (tuple_pattern)
  (keyword_separator) (positional_separator)] @parameter)
(lambda_parameters [(identifier) (list_splat_pattern) (dictionary_splat_pattern)] @parameter)
(type_parameter (type) @parameter)
(argument_list (_) @argument)
[(function_definition) (class_definition) (decorated_definition) (if_statement) (for_statement)
 (while_statement) (try_statement) (with_statement) (match_statement) (expression_statement)
 (return_statement) (raise_statement) (pass_statement) (break_statement) (continue_statement)
 (delete_statement) (assert_statement) (global_statement) (nonlocal_statement)
 (import_statement) (import_from_statement) (future_import_statement) (type_alias_statement)
 (print_statement) (exec_statement)] @statement
[(expression) (generator_expression) (yield)] @expression
(block) @block
(call) @call
[(import_statement) (import_from_statement) (future_import_statement)] @import
(comment) @comment
[(string) (concatenated_string)] @string
(pair) @property
(list (_) @element)
(tuple (_) @element)
(set (_) @element)
(expression_list (_) @element)
(dictionary (_) @element)
[(function_definition) (class_definition) (decorated_definition) (import_statement)
 (import_from_statement) (future_import_statement) (type_alias_statement)] @item
[(argument_list) (parameters) (list) (tuple) (set) (dictionary) (expression_list)] @list
(case_clause) @case
(decorator) @attribute
(pair key: (_) @key)
