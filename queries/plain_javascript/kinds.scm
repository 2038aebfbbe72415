; The general words for node types that TypeScript's grammar has others for.

(field_definition
  value: [(arrow_function) (function_expression) (generator_function)] @function (#set! is "not"))
(field_definition value: [(arrow_function) (function_expression) (generator_function)]) @function
(field_definition) @field
(field_definition) @property
