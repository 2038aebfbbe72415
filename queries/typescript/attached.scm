; What moves with a node in TypeScript, besides what javascript/attached.scm lists.

(ambient_declaration (_) @wrapped)
