; What moves with a node. @attached.<kind>: nodes of a kind in new content replace those of the node.

; A string directly above a member of a file, a module or a struct ("touching": no blank line between them) is
; its docstring.
((source_file [(string_literal) (prefixed_string_literal)] @attached.doc) (#set! touching "lines"))
((module_definition [(string_literal) (prefixed_string_literal)] @attached.doc) (#set! touching "lines"))
((struct_definition [(string_literal) (prefixed_string_literal)] @attached.doc) (#set! touching "lines"))
((macrocall_expression (macro_identifier (identifier) @_macro)
  (macro_argument_list . [(string_literal) (prefixed_string_literal)])) @attached.doc
  (#eq? @_macro "doc") (#set! touching "lines"))

; @wrapped: the parent merely wraps the node: `@inline` before a function, `const` before an assignment.
(macro_argument_list [(function_definition) (struct_definition) (assignment) (macrocall_expression)
  (const_statement)] @wrapped)
(macrocall_expression (macro_argument_list) @wrapped)
(macrocall_expression (macro_identifier) @attached.macro)
(macrocall_expression (identifier) @attached.macro)
(const_statement (assignment) @wrapped)
(global_statement (assignment) @wrapped)
(local_statement (assignment) @wrapped)
