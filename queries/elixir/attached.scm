; What moves with a node. @attached.<kind>: nodes of a kind in new content replace those of the node.

((unary_operator operator: "@" operand: (call target: (identifier) @_at)) @attached.doc
  (#any-of? @_at "doc" "typedoc"))
((unary_operator operator: "@" operand: (call target: (identifier) @_at)) @attached.spec (#eq? @_at "spec"))
((unary_operator operator: "@" operand: (call target: (identifier) @_at)) @attached.attribute
  (#any-of? @_at "impl" "deprecated" "since" "tag"))

((comment) @file (#match? @file "^#[ \\t]*credo:disable-for-this-file\\b"))
