; What moves with a node. @attached.<kind>: nodes of a kind in new content replace those of the node.

; A comment that starts with `/***` is not a doc comment, nor is an empty comment. If blank lines separate
; several doc comments, only the last one belongs to the following node.
((comment) @attached.none (#starts-with? @attached.none "/***" "/**/"))
((comment) @attached.doc (#starts-with? @attached.doc "/**") (#set! group "last"))
(decorator) @attached.decorator
; Directives for the next statement. They stay with it, and content with comments does not replace them.
((comment) @attached.directive
  (#match? @attached.directive "^/[/*][ \\t]*(?:@ts-(?:ignore|expect-error)|@deno-types|(?:(?:eslint|oxlint)-|tslint:)disable-next-line|prettier-ignore|biome-ignore|deno-lint-ignore|(?:istanbul|c8|v8) ignore next)(?:[ \\t:*]|$)")
  (#set! touching "lines"))

; @wrapped: the parent merely wraps the node, with words of its own (`export`, `const`, a semicolon) and
; attached nodes. The node is written, placed next to siblings and deleted together with its parent.
(export_statement declaration: (_) @wrapped)
(export_statement value: (_) @wrapped)
(expression_statement (_) @wrapped)
(lexical_declaration (variable_declarator) @wrapped)
(variable_declaration (variable_declarator) @wrapped)

; @import: such a statement belongs to a group of imports, and so does an import statement.
((lexical_declaration (variable_declarator value: (call_expression function: (identifier) @_call))) @import
  (#eq? @_call "require"))
((variable_declaration (variable_declarator value: (call_expression function: (identifier) @_call))) @import
  (#eq? @_call "require"))

; @file: comments about the whole file, even without a blank line after them. Tags of JSDoc, Jest and Flow, and JSX
; pragmas.
((comment) @file (#match? @file "(?m)^[ \\t]*(?:/\\*+)?[ \\t]*\\*?[ \\t]*@(?:file|fileoverview|overview|module|packageDocumentation|jsx|jsxFrag|jsxImportSource|jsxRuntime|(?:jest|vitest)-environment(?:-options)?|jest-config-loader|format|prettier|noprettier|noformat)\\b"))
((comment) @file (#match? @file "(?m)^(?://+|/\\*+)?[ \\t*]*@(?:ts-(?:no)?check(?:[ \\t:]|$)|(?:no)?flow(?:[ \\t]+(?:strict|strict-local|weak))?[ \\t]*(?:\\*/)?$)"))
((comment) @file (#match? @file "^/\\*!|^/\\*[ \\t]*(?:eslint|globals?|exported|jshint|jslint|jscs)[ \\t*]|^/[/*][ \\t]*(?:eslint|oxlint)-(?:disable|env)(?:[ \\t*]|$)|^/[/*][ \\t]*(?:tslint:(?:disable|enable)(?:[ \\t:*]|$)|(?:istanbul|c8|v8) ignore file\\b)"))
((comment) @file (#match? @file "^//[ \\t]*(?:deno-(?:lint|fmt)-ignore-file|biome-ignore-all)\\b|^///[ \\t]*<(?:reference|amd-)"))

; @opening: such a node may precede a comment about the file.
(hash_bang_line) @opening
((expression_statement) @opening (#match? @opening "^[\"']use [a-z]+[\"']"))
