; What moves with a node. Comments directly above a member of the file are its doc comments. The grammar puts
; comments before the first statement of a body outside the body (@loose).

((chunk (comment) @attached.doc) (#set! touching "lines"))
((comment) @loose (#set! begins "--"))

; @wrapped: the parent merely wraps the node, with `local`.
(variable_declaration (assignment_statement) @wrapped)

; @import: see javascript/attached.scm.
((variable_declaration (assignment_statement (expression_list value: (function_call name: (identifier) @_call)))) @import
  (#eq? @_call "require"))
((function_call name: (identifier) @_call) @import (#eq? @_call "require"))

; @file: module tags of LDoc, `@meta` of LuaLS (a file that only declares) and its diagnostics, options of luacheck and
; selene, and the mode of Luau.
((comment) @file (#match? @file "^--+[ \\t]*@diagnostic[ \\t]+disable[ \\t]*(?::|$)|^--[ \\t]*selene:|^--!(?:strict|nonstrict|nocheck|native|optimize)\\b"))
((comment) @file (#match? @file "^--+[ \\t]*(?:@(?:module|submodule|classmod|script|meta)\\b|luacheck:[ \\t])"))
