; Bodies: the part of a node into which first_child and last_child insert. A list (lists.scm) is its own body.
; "after": the token that precedes the members. Members that are "aligned" start in one column, and a deeper
; line continues the preceding member.

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

; Classes and instances without members.
([(class !declarations) (instance !declarations)] @body (#set! after "where"))

(function match: (match expression: [(do) (case) (record) (list)] @body))
(bind match: (match expression: [(do) (case) (record) (list)] @body))
(alternative match: (match expression: (do) @body))
(data_type constructors: (gadt_constructors) @body)
(data_type constructors: (data_constructors) @body)

; @late: the grammar may end such a node with the line breaks that follow it.
[(imports) (declarations)] @late
