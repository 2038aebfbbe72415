; What is given to a name is its inside.

(field_definition value: [(arrow_function) (function_expression) (object) (array)] @body)
