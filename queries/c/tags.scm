; Definitions and their names. @definition.<kind> captures a definition, @name its declared name, @alias a
; second name. A prototype is a function too: a header contains nothing else of the function.

; @named: the name may be deep inside its declarator: `*(*table[3])(int)`.
(_ declarator: (_) @named)
(parenthesized_declarator [(identifier) (field_identifier) (type_identifier) (pointer_declarator)
  (array_declarator) (function_declarator)] @named)
(attributed_declarator [(identifier) (field_identifier) (array_declarator)
  (function_declarator)] @named)

; A declaration inside a function is not a symbol of the file.
(compound_statement (declaration) @definition.none)
(case_statement (declaration) @definition.none)
(labeled_statement (declaration) @definition.none)
(for_statement (declaration) @definition.none)
; K&R style declares the types of parameters before the body.
(function_definition (declaration) @definition.none)

(function_definition declarator: (_) @name) @definition.function

; A pointer to a function is a variable.
(declaration declarator: (function_declarator
  declarator: (parenthesized_declarator
    (pointer_declarator declarator: [(identifier) (array_declarator)]))) @name) @definition.variable
(declaration declarator: [
  (function_declarator)
  (pointer_declarator declarator: (function_declarator))
  (pointer_declarator declarator: (pointer_declarator declarator: (function_declarator)))] @name)
  @definition.function
(declaration declarator: (_) @name) @definition.variable

; A type that is declared inside its own typedef has two names; most code uses the second one.
(type_definition type: (struct_specifier name: (_) @name body: (_)) declarator: (_) @alias) @definition.struct
(type_definition type: (union_specifier name: (_) @name body: (_)) declarator: (_) @alias) @definition.union
(type_definition type: (enum_specifier name: (_) @name body: (_)) declarator: (_) @alias) @definition.enum
(type_definition type: (struct_specifier body: (_)) declarator: (_) @name) @definition.struct
(type_definition type: (union_specifier body: (_)) declarator: (_) @name) @definition.union
(type_definition type: (enum_specifier body: (_)) declarator: (_) @name) @definition.enum
(type_definition type: [(struct_specifier) (union_specifier) (enum_specifier)] @definition.none)
(type_definition declarator: (_) @name) @definition.type

(struct_specifier name: (_) @name body: (_)) @definition.struct
(union_specifier name: (_) @name body: (_)) @definition.union
(enum_specifier name: (_) @name body: (_)) @definition.enum
(enumerator name: (_) @name) @definition.variant
(field_declaration declarator: (_) @name) @definition.field

(preproc_def name: (_) @name) @definition.macro
(preproc_function_def name: (_) @name) @definition.macro

; These nodes contain no definition.
[(char_literal) (concatenated_string) (preproc_call) (preproc_params) (string_literal)] @closed
