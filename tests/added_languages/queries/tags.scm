; Definitions and their names.

(function_definition name: (_) @name) @definition.function
(source_file (let_statement name: (_) @name) @definition.variable)
(comment) @closed
