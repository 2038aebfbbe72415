; Bodies: where the inside of a node is, into which first_child and last_child insert; a list
; (lists.scm) is its own. What stands "after" a word is inside; members that are "aligned" begin in one
; column, and a line that stands deeper goes on with the one before it.

([(declarations) (class_declarations) (instance_declarations)] @body
  (#set! spacing "tall") (#set! members "aligned"))
((do) @body (#set! after "do") (#set! members "aligned"))
([(alternatives) (local_binds)] @body (#set! members "aligned"))
[(imports) (gadt_constructors)] @body
(class declarations: (_) @body)
(instance declarations: (_) @body)
(case alternatives: (_) @body)
(lambda_case alternatives: (_) @body)
(let_in binds: (_) @body)
(let binds: (_) @body)

; What holds nothing yet.
([(class !declarations) (instance !declarations)] @body (#set! after "where"))

(function match: (match expression: [(do) (case) (record) (list)] @body))
(bind match: (match expression: [(do) (case) (record) (list)] @body))
(alternative match: (match expression: (do) @body))
(data_type constructors: (gadt_constructors) @body)
(data_type constructors: (data_constructors) @body)

; The grammar lets it end with the line breaks behind it.
[(imports) (declarations)] @late
