; What travels with a node as a sibling of it; attributes are a part of their declaration.

; @within: as in java/attached.scm.
[(attribute_list) (preproc_if_in_attribute_list)] @within

; As in java/attached.scm; a fourth slash makes none of a line either.
((comment) @attached.none (#starts-with? @attached.none "/***" "/**/" "////"))
((comment) @attached.doc (#starts-with? @attached.doc "///" "/**") (#set! group "last"))

((comment) @file (#match? @file "^//[ \\t]*</?auto-?generated\\b"))
