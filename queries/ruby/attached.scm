; What moves with a node. @attached.<kind>: nodes of a kind in new content replace those of the node.

; Comments directly above a member of a file, a class or a module are its doc comments. The grammar puts
; comments before the first member of a class outside its body (@loose).
((program (comment) @attached.doc) (#set! touching "lines"))
((class (comment) @attached.doc) (#set! touching "lines"))
((module (comment) @attached.doc) (#set! touching "lines"))
((singleton_class (comment) @attached.doc) (#set! touching "lines"))
((class (body_statement (comment) @attached.doc)) (#set! touching "lines"))
((module (body_statement (comment) @attached.doc)) (#set! touching "lines"))
((singleton_class (body_statement (comment) @attached.doc)) (#set! touching "lines"))
((comment) @loose (#set! begins "#"))
((comment) @loose (#set! begins "=begin"))

; @tail: the text of a heredoc. It is the end of the statement that starts the heredoc (@opens), but the
; grammar puts it after that statement, below a line with its sign ("below").
(heredoc_beginning) @opens
((heredoc_body) @tail (#set! below "<<"))

; @import: see javascript/attached.scm.
((call !receiver method: (identifier) @_call) @import (#any-of? @_call "require" "require_relative" "load" "gem"))

; @file: magic comments, and settings of Sorbet and RuboCop.
((comment) @file (#match? @file "^#[ \\t]*(?:(?:frozen_string_literal|(?:en)?coding|warn_indent|shareable_constant_value|typed):|rubocop:(?:disable|todo)\\b)"))
