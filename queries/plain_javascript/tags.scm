; Names of things that TypeScript's grammar has other node types for.

(field_definition property: (_) @name) @definition.field
