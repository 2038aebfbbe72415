; The body of an assignment is its value.

(field_definition value: [(arrow_function) (function_expression) (object) (array)] @body)
