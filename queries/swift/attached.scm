; What moves with a node as its sibling. Attributes are part of their declaration.

; @within: see java/attached.scm.
(attribute) @within

(statement_label) @attached.label

((comment) @attached.doc (#starts-with? @attached.doc "///") (#set! group "last"))
; A comment that starts with `/***` is not a doc comment, nor is an empty comment. If blank lines separate
; several doc comments, only the last one belongs to the following node.
((multiline_comment) @attached.none (#starts-with? @attached.none "/***" "/**/"))
((multiline_comment) @attached.doc (#starts-with? @attached.doc "/**") (#set! group "last"))

; @file: the tools version that the package manager reads, and settings of SwiftLint and SwiftFormat.
((comment) @file (#match? @file "^//[ \\t]*(?:swiftlint:disable[ \\t]|swiftformat:(?:disable|options)\\b)"))
((comment) @file (#match? @file "^//[ \\t]*swift-tools-version[ \\t]*:?[ \\t]*[0-9]"))
