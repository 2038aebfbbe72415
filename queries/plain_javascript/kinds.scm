; General words for nodes that have other types in the TypeScript grammar.

(field_definition
  value: [(arrow_function) (function_expression) (generator_function)] @function (#set! is "not"))
(field_definition value: [(arrow_function) (function_expression) (generator_function)]) @function
(field_definition) @field
(field_definition) @property
