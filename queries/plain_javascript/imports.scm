; Parameters have other node types in the TypeScript grammar.

(formal_parameters [(identifier) (object_pattern) (array_pattern) (assignment_pattern) (rest_pattern)] @binds)
