; Definitions and their names. A method nests in the class that contains it. Assignments are symbols if they
; belong to a module or a class, not to a function. The range of a definition includes its decorators.

(decorator) @leading

(class_definition name: (_) @name) @definition.class
(function_definition name: (_) @name) @definition.function

(type_alias_statement left: (type (identifier) @name)) @definition.type
(type_alias_statement left: (type (generic_type (identifier) @name))) @definition.type

(module (expression_statement (assignment left: (identifier) @name)) @definition.variable)
(class_definition body: (block
  (expression_statement (assignment left: (identifier) @name)) @definition.variable))
; In an assignment to several names, each of them is a name of the definition.
(module (expression_statement (assignment left: (pattern_list (identifier) @name))
  (#set! names "all")) @definition.variable)
(class_definition body: (block
  (expression_statement (assignment left: (pattern_list (identifier) @name))
    (#set! names "all")) @definition.variable))

; Variables that a module or a class defines conditionally or as a fallback.
(module (if_statement consequence: (block
  (expression_statement (assignment left: (identifier) @name)) @definition.variable)))
(module (if_statement alternative: (elif_clause consequence: (block
  (expression_statement (assignment left: (identifier) @name)) @definition.variable))))
(module (if_statement alternative: (else_clause body: (block
  (expression_statement (assignment left: (identifier) @name)) @definition.variable))))
(module (try_statement body: (block
  (expression_statement (assignment left: (identifier) @name)) @definition.variable)))
(module (try_statement (except_clause (block
  (expression_statement (assignment left: (identifier) @name)) @definition.variable))))
(class_definition body: (block (if_statement consequence: (block
  (expression_statement (assignment left: (identifier) @name)) @definition.variable))))
(class_definition body: (block (if_statement alternative: (else_clause body: (block
  (expression_statement (assignment left: (identifier) @name)) @definition.variable)))))

; These nodes contain no definition.
[(argument_list) (assignment) (attribute) (augmented_assignment) (binary_operator) (call)
  (comparison_operator) (decorator) (default_parameter) (dictionary) (dotted_name)
  (expression_list) (import_from_statement) (import_statement) (keyword_argument) (lambda)
  (list) (list_comprehension) (parameters) (parenthesized_expression) (raise_statement)
  (return_statement) (set) (string) (subscript) (tuple) (type) (typed_parameter) (with_clause)] @closed
