; What travels with a node. Comments right above what a file has are its docs; those before the first
; statement of a body the grammar puts beside the body.

((chunk (comment) @attached.doc) (#set! touching "lines"))
((comment) @loose (#set! begins "--"))

; @wrapped: what its parent does but stand round, with its `local`.
(variable_declaration (assignment_statement) @wrapped)

; LDoc's modules, the files of LuaLS that only declare, and what luacheck reads.
((comment) @file (#match? @file "^--+[ \\t]*(?:@(?:module|submodule|classmod|script|meta)\\b|luacheck:[ \\t])"))
