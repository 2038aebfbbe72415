; What moves with a node in C++, besides the doc comments of C (c/attached.scm).

; @wrapped: the parent merely wraps the node: `template <class T>` before a class or a function.
(template_declaration (_) @wrapped)
(template_declaration (template_parameter_list) @attached.template)
(template_declaration (requires_clause) @attached.template)
