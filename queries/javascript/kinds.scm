; General words (docs/pointing.md) for the node types that tree-sitter-javascript 0.25.0 shares with
; tree-sitter-typescript 0.23.2, which lists no supertypes.

; A function is the whole declaration: `const f = () => {}`, `exports.f = function () {}`, `f: () => {}` in an
; object. The arrow function alone is only a part of it.
(variable_declarator
  value: [(arrow_function) (function_expression) (generator_function)] @function (#set! is "not"))
(assignment_expression
  right: [(arrow_function) (function_expression) (generator_function)] @function (#set! is "not"))
(pair
  value: [(arrow_function) (function_expression) (generator_function)] @function (#set! is "not"))
(lexical_declaration (variable_declarator
  value: [(arrow_function) (function_expression) (generator_function)])) @function
(variable_declaration (variable_declarator
  value: [(arrow_function) (function_expression) (generator_function)])) @function
(expression_statement (assignment_expression
  right: [(arrow_function) (function_expression) (generator_function)])) @function
(pair value: [(arrow_function) (function_expression) (generator_function)]) @function
[(function_declaration) (generator_function_declaration) (method_definition)
 (arrow_function) (function_expression) (generator_function)] @function

(method_definition) @method
(pair value: [(arrow_function) (function_expression) (generator_function)]) @method
[(class_declaration) (class)] @class
[(lexical_declaration) (variable_declaration)] @variable
(formal_parameters (_) @parameter)
(arrow_function parameter: (_) @parameter)
(catch_clause parameter: (_) @parameter)
(arguments (_) @argument)
[(break_statement) (continue_statement) (debugger_statement) (do_statement) (empty_statement)
 (export_statement) (expression_statement) (for_in_statement) (for_statement) (if_statement)
 (import_statement) (labeled_statement) (return_statement) (switch_statement)
 (throw_statement) (try_statement) (while_statement) (with_statement) (class_declaration)
 (function_declaration) (generator_function_declaration) (lexical_declaration)
 (variable_declaration)] @statement
[(assignment_expression) (augmented_assignment_expression) (await_expression) (binary_expression)
 (new_expression) (ternary_expression) (unary_expression) (update_expression) (yield_expression)
 (array) (arrow_function) (call_expression) (class) (false) (function_expression)
 (generator_function) (identifier) (member_expression) (meta_property) (null) (number) (object)
 (parenthesized_expression) (regex) (string) (subscript_expression) (super) (template_string)
 (this) (true) (undefined)] @expression
[(statement_block) (class_body) (switch_body)] @block
[(call_expression) (new_expression)] @call
(import_statement) @import
[(comment) (html_comment)] @comment
[(string) (template_string)] @string
[(pair) (shorthand_property_identifier)] @property
(object (method_definition) @property)
(array (_) @element)
(array_pattern (_) @element)
[(class_declaration) (function_declaration) (generator_function_declaration) (lexical_declaration)
 (variable_declaration) (export_statement) (import_statement)] @item
[(array) (arguments) (formal_parameters) (array_pattern) (object_pattern) (named_imports)
 (export_clause)] @list
[(switch_case) (switch_default)] @case
(decorator) @attribute
(pair key: (_) @key)
(pair_pattern key: (_) @key)

; @parenthesized: the language requires parentheses around it there, although the grammar does not.
(arrow_function body: (object) @parenthesized)

; @parenthesized_first: the same where a statement starts with it.
[(object) (function_expression) (class)] @parenthesized_first
