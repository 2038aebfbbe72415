; Definitions and their names. A method of a function of another module has its full name, `Base.length`, and
; the last part of that. Each method is a symbol. A test has its description as its name.

; @named: where the name is in a signature: `f` in `f(x::T)::Int where {T}`.
(signature (_) @named)
(type_head (_) @named)
(call_expression . (_) @named)
(typed_expression . (_) @named)
(where_expression . (_) @named)
(parametrized_type_expression . (_) @named)
(binary_expression . (_) @named)
(parenthesized_expression . (_) @named)

(module_definition name: (_) @name) @definition.module

(struct_definition (type_head) @name) @definition.struct
(abstract_definition (type_head) @name) @definition.type
(primitive_definition (type_head) @name) @definition.type
(struct_definition (identifier) @name @definition.field)
(struct_definition (typed_expression . (identifier) @name) @definition.field)
(struct_definition (assignment . (identifier) @name) @definition.field)
(struct_definition (assignment . (typed_expression . (identifier) @name)) @definition.field)

; An anonymous function, `function (x) ... end`, has the name of the variable that it is assigned to.
(function_definition (signature (argument_list))) @definition.none
(function_definition (signature (call_expression . (field_expression (identifier) (identifier) @alias))) @name)
  @definition.function
(function_definition (signature (typed_expression . (call_expression . (field_expression (identifier) (identifier) @alias)))) @name)
  @definition.function
(function_definition
  (signature (where_expression . (typed_expression . (call_expression . (field_expression (identifier) (identifier) @alias))))) @name)
  @definition.function
(function_definition (signature (where_expression . (call_expression . (field_expression (identifier) (identifier) @alias)))) @name)
  @definition.function
(function_definition (signature) @name) @definition.function
(macro_definition (signature) @name) @definition.macro

; The short form: `f(x) = x + 1`.
(assignment . (call_expression . (field_expression (identifier) (identifier) @alias)) @name) @definition.function
(assignment . (where_expression . (call_expression . (field_expression (identifier) (identifier) @alias))) @name)
  @definition.function
(assignment . (call_expression) @name) @definition.function
(assignment . (where_expression) @name) @definition.function
(assignment . (typed_expression . (call_expression)) @name) @definition.function

; Variables are symbols if they belong to a file or a module.
(source_file (assignment . (identifier) @name [(function_definition) (arrow_function_expression)]) @definition.function)
(module_definition (assignment . (identifier) @name [(function_definition) (arrow_function_expression)]) @definition.function)
(source_file (assignment . (identifier) @name) @definition.variable)
(module_definition (assignment . (identifier) @name) @definition.variable)
(global_statement (assignment . (identifier) @name)) @definition.variable
(const_statement (assignment . (identifier) @name)) @definition.constant
(const_statement (assignment . (typed_expression . (identifier)) @name)) @definition.constant
(const_statement (assignment . (parametrized_type_expression . (identifier)) @name)) @definition.type

((macrocall_expression (macro_identifier (identifier) @_macro) (macro_argument_list . (identifier) @name)) @definition.enum
  (#eq? @_macro "enum"))
((macrocall_expression (macro_identifier (identifier) @_macro) (macro_argument_list . (string_literal (content) @name)))
  @definition.test
  (#any-of? @_macro "testset" "testitem"))
