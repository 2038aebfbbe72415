; What travels with a node beside what javascript/attached.scm says.

(ambient_declaration (_) @wrapped)
