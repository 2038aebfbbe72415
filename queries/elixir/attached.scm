; What travels with a node. @attached.<kind>: kinds are told apart when new content brings its own.

((unary_operator operator: "@" operand: (call target: (identifier) @_at)) @attached.doc
  (#any-of? @_at "doc" "typedoc"))
((unary_operator operator: "@" operand: (call target: (identifier) @_at)) @attached.spec (#eq? @_at "spec"))
((unary_operator operator: "@" operand: (call target: (identifier) @_at)) @attached.attribute
  (#any-of? @_at "impl" "deprecated" "since" "tag"))
