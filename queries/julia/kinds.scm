; General words (docs/pointing.md) for the node types of tree-sitter-julia 0.23.1.

[(function_definition) (arrow_function_expression) (macro_definition)] @function
(assignment . (call_expression)) @function
(assignment . (where_expression)) @function
(assignment . (typed_expression . (call_expression))) @function
(struct_definition (function_definition) @method)
(struct_definition (assignment . (call_expression)) @method)
[(struct_definition) (abstract_definition)] @class
(struct_definition) @struct
(module_definition) @module
[(struct_definition) (abstract_definition) (primitive_definition)] @type
[(assignment) (const_statement)] @variable
(struct_definition [(identifier) (typed_expression)] @field)
(struct_definition (assignment . [(identifier) (typed_expression)]) @field)
(named_field) @field
(signature (call_expression (argument_list (_) @parameter)))
(signature (where_expression (call_expression (argument_list (_) @parameter))))
(signature (where_expression (typed_expression (call_expression (argument_list (_) @parameter)))))
(signature (typed_expression (call_expression (argument_list (_) @parameter))))
(signature (argument_list (_) @parameter))
(arrow_function_expression (argument_list (_) @parameter))
(do_clause (argument_list (_) @parameter))
((signature (call_expression (argument_list (_) @argument))) (#set! is "not"))
((signature (where_expression (call_expression (argument_list (_) @argument)))) (#set! is "not"))
((signature (where_expression (typed_expression (call_expression (argument_list (_) @argument))))) (#set! is "not"))
((signature (typed_expression (call_expression (argument_list (_) @argument)))) (#set! is "not"))
((signature (argument_list (_) @argument)) (#set! is "not"))
(argument_list (_) @argument)
[(compound_statement) (quote_statement) (let_statement) (if_statement) (try_statement) (for_statement)
 (while_statement) (break_statement) (continue_statement) (return_statement) (const_statement)
 (global_statement) (local_statement) (export_statement) (public_statement) (import_statement)
 (using_statement) (assignment) (compound_assignment_expression) (macrocall_expression)] @statement
(if_statement condition: [(call_expression) (broadcast_call_expression) (binary_expression)] @statement
  (#set! is "not"))
(while_statement condition: [(call_expression) (broadcast_call_expression) (binary_expression)] @statement
  (#set! is "not"))
(source_file [(call_expression) (broadcast_call_expression) (binary_expression)] @statement)
(module_definition [(call_expression) (broadcast_call_expression) (binary_expression)] @statement)
(function_definition [(call_expression) (broadcast_call_expression) (binary_expression)] @statement)
(compound_statement [(call_expression) (broadcast_call_expression) (binary_expression)] @statement)
(if_statement [(call_expression) (broadcast_call_expression) (binary_expression)] @statement)
(else_clause [(call_expression) (broadcast_call_expression) (binary_expression)] @statement)
(for_statement [(call_expression) (broadcast_call_expression) (binary_expression)] @statement)
(while_statement [(call_expression) (broadcast_call_expression) (binary_expression)] @statement)
(do_clause [(call_expression) (broadcast_call_expression) (binary_expression)] @statement)
[(identifier) (boolean_literal) (integer_literal) (float_literal) (character_literal) (string_literal)
 (prefixed_string_literal) (command_literal) (prefixed_command_literal) (parenthesized_expression)
 (tuple_expression) (vector_expression) (matrix_expression) (comprehension_expression)
 (curly_expression) (adjoint_expression) (call_expression) (broadcast_call_expression)
 (parametrized_type_expression) (field_expression) (index_expression) (interpolation_expression)
 (quote_expression) (unary_expression) (binary_expression) (range_expression) (splat_expression)
 (typed_expression) (unary_typed_expression) (where_expression) (macrocall_expression)
 (arrow_function_expression) (juxtaposition_expression) (ternary_expression) (operator)
 (compound_statement) (quote_statement) (let_statement) (if_statement) (try_statement)
 (function_definition)] @expression
[(compound_statement) (quote_statement) (let_statement) (do_clause)] @block
[(call_expression) (broadcast_call_expression) (macrocall_expression)] @call
[(import_statement) (using_statement)] @import
[(line_comment) (block_comment)] @comment
[(string_literal) (prefixed_string_literal) (command_literal) (prefixed_command_literal)
 (character_literal)] @string
(named_field) @property
(named_argument) @property
(vector_expression (_) @element)
(tuple_expression (_) @element)
(matrix_row (_) @element)
(matrix_row) @row
[(module_definition) (struct_definition) (abstract_definition) (primitive_definition)
 (function_definition) (macro_definition) (const_statement) (import_statement) (using_statement)
 (export_statement) (public_statement)] @item
[(argument_list) (vector_expression) (tuple_expression) (curly_expression) (export_statement)
 (selected_import)] @list
