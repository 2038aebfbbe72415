; What travels with a node as a sibling of it; attributes are a part of their declaration.

; @within: as in java/attached.scm.
[(attribute_list) (preproc_if_in_attribute_list)] @within

((comment) @attached.doc (#starts-with? @attached.doc "///" "/**"))
