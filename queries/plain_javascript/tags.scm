; Definitions that have other node types in the TypeScript grammar.

(field_definition property: (_) @name) @definition.field
