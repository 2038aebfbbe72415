; Definitions and their names: the name of a block is its type and its labels, `resource.aws_vpc.this`; its
; second name is the one that references use, `aws_vpc.this` or `var.name`. A key names its attribute.

(block (identifier) @_type (string_lit (template_literal) @_kind) (string_lit (template_literal) @name)
  (#set! name "@_type.@_kind.@name") (#set! alias "@_kind.@name")) @definition.block
(block (identifier) @_type (string_lit (template_literal) @name)
  (#eq? @_type "variable")
  (#set! name "@_type.@name") (#set! alias "var.@name")) @definition.block
(block (identifier) @_type (string_lit (template_literal) @name)
  (#set! name "@_type.@name") (#set! alias "@name")) @definition.block
(block (identifier) @name) @definition.block

(attribute (identifier) @name) @definition.key
(object_elem key: (expression (variable_expr (identifier) @name))) @definition.key
(object_elem key: (expression (literal_value (string_lit (template_literal) @name)))) @definition.key
