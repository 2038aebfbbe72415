; What moves with a node as its sibling. Attributes are part of their declaration.

; @within: see java/attached.scm.
[(attribute_list) (preproc_if_in_attribute_list)] @within

; A comment that starts with `/***` is not a doc comment, nor is an empty comment. A line that starts with
; `////` is not one either. If blank lines separate several doc comments, only the last one belongs to the
; following node.
((comment) @attached.none (#starts-with? @attached.none "/***" "/**/" "////"))
((comment) @attached.doc (#starts-with? @attached.doc "///" "/**") (#set! group "last"))

((comment) @file (#match? @file "^//[ \\t]*(?:</?auto-?generated\\b|ReSharper disable [A-Z])"))
