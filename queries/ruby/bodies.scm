; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; @head stays first in its body.

([(program) (body_statement)] @body (#set! spacing "tall"))
[(block_body) (then) (else) (ensure)] @body
((do) @body (#set! after "do"))
((begin) @body (#set! after "begin"))
(parenthesized_statements) @body
([(string_array) (symbol_array)] @body (#set! opens "inline"))

; The shebang line and magic comments stay first: they determine how the file is read.
((program (comment) @head) (#match? @head "^#(?:!|[ \\t]*-\\*-)"))
((program (comment) @head)
  (#match? @head "^#[ \\t]*(?i:frozen[_-]string[_-]literal|warn[_-]indent|shareable[_-]constant[_-]value|(?:en)?coding):[ \\t]*[\\w.-]+[ \\t]*$"))
((program (comment) @head) (#match? @head "^# typed:[ \\t]*(?:ignore|false|true|strict|strong|__)"))

; The body of a node without members starts after its first line.
(block !body) @body
([(method !body) (singleton_method !body) (class !body) (module !body) (singleton_class !body)
  (do_block !body) (if !consequence)] @body (#set! members "lines"))
(method ["def" ";" "end"] @frame)
(method name: (_) @frame)
(method parameters: (_) @frame)
(singleton_method ["def" "." ";" "end"] @frame)
(singleton_method object: (_) @frame)
(singleton_method name: (_) @frame)
(singleton_method parameters: (_) @frame)
(class ["class" ";" "end"] @frame)
(class name: (_) @frame)
(class superclass: (_) @frame)
(module ["module" ";" "end"] @frame)
(module name: (_) @frame)
(singleton_class ["class" "<<" "end"] @frame)
(singleton_class value: (_) @frame)
(do_block ["do" "end"] @frame)
(do_block parameters: (_) @frame)
(block parameters: (_) @frame)
(if ["if" "end"] @frame)
(if condition: (_) @frame)

; @flush: a line that starts with it may be indented like the line that its parent starts in, or deeper.
(alternative_pattern "|" @flush)

; @clause: a keyword that starts a clause of a statement. @later_clause: one that follows these and occurs once.
; @last_clause: one that follows even those.
["elsif" "rescue"] @clause
"else" @later_clause
"ensure" @last_clause

; @ends_with_line: see javascript/bodies.scm.
[(return) (break) (next) (yield)] @ends_with_line
