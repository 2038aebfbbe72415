; What travels with a node. The grammar puts a definition and its decorators into a node of their own.

(decorator) @attached.decorator
(decorated_definition definition: (_) @wrapped)

; The grammar puts the comments before the first statement of a body beside the body.
((comment) @loose (#set! begins "#"))
