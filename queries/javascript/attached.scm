; What travels with a node. @attached.<kind>: kinds are told apart when new content brings its own.

; A row of stars is no doc, nor is an empty comment. Of several docs with blank lines between, only the last
; is about what follows.
((comment) @attached.none (#starts-with? @attached.none "/***" "/**/"))
((comment) @attached.doc (#starts-with? @attached.doc "/**") (#set! group "last"))
(decorator) @attached.decorator

; @wrapped: what its parent does but stand round, with words of its own (`export`, `const`, a
; semicolon) and what is attached. It is written, put beside others and deleted with its parent.
(export_statement declaration: (_) @wrapped)
(export_statement value: (_) @wrapped)
(expression_statement (_) @wrapped)
(lexical_declaration (variable_declarator) @wrapped)
(variable_declaration (variable_declarator) @wrapped)

; @file: comments about the whole file. The tags of JSDoc, Jest and the JSX pragmas count in a block comment.
((comment) @file (#match? @file "(?m)^[ \\t]*(?:/\\*+)?[ \\t]*\\*?[ \\t]*@(?:file|fileoverview|overview|module|packageDocumentation|jsx|jsxFrag|jsxImportSource|jsxRuntime|jest-environment)\\b"))
((comment) @file (#match? @file "(?m)^(?://+|/\\*+)?[ \\t*]*@(?:ts-(?:no)?check(?:[ \\t:]|$)|(?:no)?flow(?:[ \\t]+(?:strict|strict-local|weak))?[ \\t]*(?:\\*/)?$)"))
((comment) @file (#match? @file "^/\\*[ \\t]*eslint(?:-disable|-env)?[ \\t*]"))
((comment) @file (#match? @file "^//[ \\t]*(?:deno-lint-ignore-file|biome-ignore-all)\\b|^///[ \\t]*<(?:reference|amd-)"))
