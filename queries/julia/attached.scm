; What travels with a node. @attached.<kind>: kinds are told apart when new content brings its own.

; A string right above what a file, a module or a struct has (no blank line between: "touching") is its docs.
((source_file [(string_literal) (prefixed_string_literal)] @attached.doc) (#set! touching "lines"))
((module_definition [(string_literal) (prefixed_string_literal)] @attached.doc) (#set! touching "lines"))
((struct_definition [(string_literal) (prefixed_string_literal)] @attached.doc) (#set! touching "lines"))
((macrocall_expression (macro_identifier (identifier) @_macro)
  (macro_argument_list . [(string_literal) (prefixed_string_literal)])) @attached.doc
  (#eq? @_macro "doc") (#set! touching "lines"))

; @wrapped: what its parent does but stand round: `@inline` before a function, `const` before a name.
(macro_argument_list [(function_definition) (struct_definition) (assignment) (macrocall_expression)
  (const_statement)] @wrapped)
(macrocall_expression (macro_argument_list) @wrapped)
(macrocall_expression (macro_identifier) @attached.macro)
(macrocall_expression (identifier) @attached.macro)
(const_statement (assignment) @wrapped)
(global_statement (assignment) @wrapped)
(local_statement (assignment) @wrapped)
