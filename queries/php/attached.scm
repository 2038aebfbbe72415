; What moves with a node as its sibling. Attributes are part of their declaration.

; @within: see java/attached.scm.
(attribute_group) @within

; A comment that starts with `/***` is not a doc comment, nor is an empty comment. If blank lines separate
; several doc comments, only the last one belongs to the following node.
((comment) @attached.none (#starts-with? @attached.none "/***" "/**/"))
((comment) @attached.doc (#starts-with? @attached.doc "/**") (#set! group "last"))

; @file: tags of PHPDoc, headers of WordPress, and settings of PhpStorm and PHP_CodeSniffer.
((comment) @file (#match? @file "(?m)^[ \\t]*(?:/\\*\\*)?[ \\t*]*@file\\b"))
((comment) @file (#match? @file "(?m)^[ \\t]*(?:/\\*+|//|#)?[ \\t*]*(?:(?:Plugin|Theme|Template) Name:|@noinspection\\b|@?phpcs:(?:disable|ignoreFile)\\b|@codingStandardsIgnoreFile\\b)"))
[(php_tag) (declare_statement)] @opening
