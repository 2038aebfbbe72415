; What travels with a node in C++, beside the docs of C.

; @wrapped: what its parent does but stand round: `template <class T>` before a class or a function.
(template_declaration (_) @wrapped)
(template_declaration (template_parameter_list) @attached.template)
(template_declaration (requires_clause) @attached.template)
