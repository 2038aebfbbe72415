; Bodies that TypeScript adds. A list (lists.scm) is its own body.

[(interface_body) (enum_body)] @body
(type_alias_declaration value: (object_type) @body)
(public_field_definition value: [(arrow_function) (function_expression) (object) (array)] @body)

; @transparent: the children of such a node count as children of its parent. The grammar nests the members of a union.
(union_type (union_type) @transparent)
