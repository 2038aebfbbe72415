; What moves with a node: comments directly above it.

; @file: comments that minifiers keep, and settings of stylelint.
((comment) @file (#match? @file "^/\\*(?:!|[ \\t]*stylelint-disable[ \\t*])"))
