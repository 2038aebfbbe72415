; What travels with a node as a sibling of it; attributes are a part of their declaration.

; @within: as in java/attached.scm.
(attribute_group) @within

; A row of stars is no doc, nor is an empty comment. Of several docs with blank lines between, only the last
; is about what follows.
((comment) @attached.none (#starts-with? @attached.none "/***" "/**/"))
((comment) @attached.doc (#starts-with? @attached.doc "/**") (#set! group "last"))

((comment) @file (#match? @file "(?m)^[ \\t]*(?:/\\*\\*)?[ \\t*]*@file\\b"))
(php_tag) @opening
