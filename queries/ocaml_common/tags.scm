; Definitions that only an OCaml implementation file (`.ml`) has: the `let` bindings at its top level.

(compilation_unit (value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name (parameter)) @definition.function))
(compilation_unit (value_definition (let_binding pattern: (value_name) @name
  body: [(fun_expression) (function_expression)]) @definition.function))
(compilation_unit (value_definition (let_binding pattern: (value_name) @name) @definition.constant))
