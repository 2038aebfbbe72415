; General words (docs/pointing.md) for the node types of tree-sitter-zig 1.1.2.

(function_declaration) @function
(struct_declaration (function_declaration) @method)
(enum_declaration (function_declaration) @method)
(union_declaration (function_declaration) @method)
(variable_declaration [(struct_declaration) (union_declaration) (enum_declaration) (opaque_declaration)]) @class
(variable_declaration (struct_declaration)) @struct
(variable_declaration [(enum_declaration) (error_set_declaration)]) @enum
[(struct_declaration) (enum_declaration) (union_declaration) (opaque_declaration) (error_set_declaration)
 (builtin_type) (nullable_type) (slice_type) (pointer_type) (array_type) (error_union_type)] @type
(variable_declaration) @variable
(container_field) @field
(parameter) @parameter
(arguments (_) @argument)
((call_expression function: (_) @argument) (#set! is "not"))
(call_expression (_) @argument)
[(comptime_statement) (nosuspend_statement) (suspend_statement) (defer_statement) (errdefer_statement)
 (expression_statement) (variable_declaration) (if_statement) (for_statement) (while_statement)
 (labeled_statement) (switch_expression) (comptime_declaration)] @statement
[(asm_expression) (if_expression) (for_expression) (while_expression) (assignment_expression)
 (unary_expression) (binary_expression) (comptime_expression) (async_expression) (await_expression)
 (nosuspend_expression) (continue_expression) (resume_expression) (return_expression) (break_expression)
 (try_expression) (catch_expression) (switch_expression) (block) (struct_initializer)
 (anonymous_struct_initializer) (parenthesized_expression) (builtin_function) (character)
 (field_expression) (index_expression) (dereference_expression) (null_coercion_expression)
 (range_expression) (call_expression) (identifier) (float) (integer) (boolean) (string)
 (multiline_string)] @expression
[(block) (struct_declaration) (enum_declaration) (union_declaration)] @block
[(call_expression) (builtin_function)] @call
(using_namespace_declaration) @import
(comment) @comment
[(string) (multiline_string) (character)] @string
(initializer_list (_) @element)
[(function_declaration) (variable_declaration) (test_declaration) (comptime_declaration)
 (using_namespace_declaration)] @item
[(arguments) (parameters) (initializer_list)] @list
(switch_case) @case
