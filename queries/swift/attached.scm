; What travels with a node as a sibling of it; attributes are a part of their declaration.

; @within: as in java/attached.scm.
(attribute) @within

(statement_label) @attached.label

((comment) @attached.doc (#starts-with? @attached.doc "///") (#set! group "last"))
; As in java/attached.scm.
((multiline_comment) @attached.none (#starts-with? @attached.none "/***" "/**/"))
((multiline_comment) @attached.doc (#starts-with? @attached.doc "/**") (#set! group "last"))

; What the package manager reads.
((comment) @file (#match? @file "^//[ \\t]*swift-tools-version[ \\t]*:?[ \\t]*[0-9]"))
