; What moves with a node. Comments directly above a member of the file are its doc comments. The grammar puts
; comments before the first statement of a body outside the body (@loose).

((chunk (comment) @attached.doc) (#set! touching "lines"))
((comment) @loose (#set! begins "--"))

; @wrapped: the parent merely wraps the node, with `local`.
(variable_declaration (assignment_statement) @wrapped)

; @file: module tags of LDoc, `@meta` of LuaLS (a file that only declares), and options of luacheck.
((comment) @file (#match? @file "^--+[ \\t]*(?:@(?:module|submodule|classmod|script|meta)\\b|luacheck:[ \\t])"))
