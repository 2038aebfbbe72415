; Bodies that TypeScript adds; a list (lists.scm) is its own.

[(interface_body) (enum_body)] @body
(type_alias_declaration value: (object_type) @body)
(public_field_definition value: [(arrow_function) (function_expression) (object) (array)] @body)
