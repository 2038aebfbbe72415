; What moves with a node. @attached.<kind>: nodes of a kind in new content replace those of the node.

; A comment that starts with `/***` is not a doc comment, nor is an empty comment. If blank lines separate
; several doc comments, only the last one belongs to the following node.
((comment) @attached.none (#starts-with? @attached.none "/***" "/**/"))
((comment) @attached.doc (#starts-with? @attached.doc "/**") (#set! group "last"))
(decorator) @attached.decorator

; @wrapped: the parent merely wraps the node, with words of its own (`export`, `const`, a semicolon) and
; attached nodes. The node is written, placed next to siblings and deleted together with its parent.
(export_statement declaration: (_) @wrapped)
(export_statement value: (_) @wrapped)
(expression_statement (_) @wrapped)
(lexical_declaration (variable_declarator) @wrapped)
(variable_declaration (variable_declarator) @wrapped)

; @file: comments about the whole file. JSDoc and Jest tags and JSX pragmas count only in a block comment.
((comment) @file (#match? @file "(?m)^[ \\t]*(?:/\\*+)?[ \\t]*\\*?[ \\t]*@(?:file|fileoverview|overview|module|packageDocumentation|jsx|jsxFrag|jsxImportSource|jsxRuntime|jest-environment)\\b"))
((comment) @file (#match? @file "(?m)^(?://+|/\\*+)?[ \\t*]*@(?:ts-(?:no)?check(?:[ \\t:]|$)|(?:no)?flow(?:[ \\t]+(?:strict|strict-local|weak))?[ \\t]*(?:\\*/)?$)"))
((comment) @file (#match? @file "^/\\*[ \\t]*eslint(?:-disable|-env)?[ \\t*]"))
((comment) @file (#match? @file "^//[ \\t]*(?:deno-lint-ignore-file|biome-ignore-all)\\b|^///[ \\t]*<(?:reference|amd-)"))
