; Names, their scopes and the import statements, for a move that keeps its names (docs/moving-code.md).
; queries/imports.toml states how statements are written and where modules are.

(identifier) @name
(attribute attribute: (identifier) @member)
(keyword_argument name: (identifier) @member)
(keyword_pattern (identifier) @member)

(function_definition) @scope
(lambda) @scope
[(list_comprehension) (set_comprehension) (dictionary_comprehension) (generator_expression)] @scope
(class_definition) @class_scope
(function_definition body: (block) @deferred)
(lambda body: (_) @deferred)

(function_definition name: (identifier) @binds_outside)
(class_definition name: (identifier) @binds_outside)
; Annotations and default values do not see the names that the body binds.
(function_definition return_type: (_) @outside)
(typed_parameter type: (_) @outside)
(typed_default_parameter type: (_) @outside)
(typed_default_parameter value: (_) @outside)
(default_parameter value: (_) @outside)
(class_definition superclasses: (_) @outside)
(parameters [(identifier) (list_splat_pattern) (dictionary_splat_pattern) (tuple_pattern)] @binds)
(lambda_parameters [(identifier) (list_splat_pattern) (dictionary_splat_pattern) (tuple_pattern)] @binds)
(typed_parameter [(identifier) (list_splat_pattern) (dictionary_splat_pattern)] @binds)
(default_parameter name: (_) @binds)
(typed_default_parameter name: (_) @binds)
(function_definition type_parameters: (type_parameter (type (identifier) @binds)))
(class_definition type_parameters: (type_parameter (type (identifier) @binds)))
(assignment left: (_) @binds)
(augmented_assignment left: (_) @binds)
(named_expression name: (_) @binds)
(for_statement left: (_) @binds)
(for_in_clause left: (_) @binds)
(as_pattern_target) @binds
(delete_statement (_) @binds)
(type_alias_statement left: (type (identifier) @binds))
(type_alias_statement left: (type (generic_type . (identifier) @binds)))
[(pattern_list) (tuple_pattern) (list_pattern) (list_splat_pattern) (dictionary_splat_pattern)
 (as_pattern_target) (expression_list) (tuple) (list) (parenthesized_expression)] @pattern
[(global_statement) (nonlocal_statement)] @rebinds

(type) @annotation

(import_statement) @module_statement
(import_from_statement) @statement
(future_import_statement) @language_statement
(import_from_statement module_name: (_) @module)
(import_from_statement name: (_) @item)
(import_statement name: (_) @item)
(aliased_import name: (dotted_name) @original)
(aliased_import alias: (identifier) @alias)
(wildcard_import) @star

(attribute) @access
((call function: (identifier) @_function) @dynamic (#any-of? @_function "__import__" "import_module"))
((call function: (attribute attribute: (identifier) @_function)) @dynamic (#eq? @_function "import_module"))

; The values of names and functions, which determine what a receiver is.
(assignment right: (_) @assigned)
(return_statement (_) @returned)
(yield (_) @yielded)
(with_item value: (as_pattern . (_) @entered))
(with_statement "async") @awaited
(list_splat) @spread

; Statements that may end the loading of the file.
[(assert_statement) (raise_statement)] @stops

; Names that are known when the code runs.
((subscript value: (call function: (identifier) @_function) subscript: (_) @composed_own)
  (#any-of? @_function "globals" "vars"))
((call function: (identifier) @_function arguments: (argument_list (string (interpolation)) @composed_member))
  (#any-of? @_function "getattr" "setattr" "hasattr" "delattr"))
((call function: (identifier) @_function arguments: (argument_list (binary_operator) @composed_member))
  (#any-of? @_function "getattr" "setattr" "hasattr" "delattr"))
((call function: (identifier) @_function
  arguments: (argument_list (call function: (attribute object: (string) @composed_member))))
  (#any-of? @_function "getattr" "setattr" "hasattr" "delattr"))
