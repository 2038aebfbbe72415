; Lists of C++ beside those of C (c/lists.scm).

[(template_parameter_list) (subscript_argument_list)] @list
((template_argument_list) @list)
; A base stands behind the word that says who sees it.
; What is captured stands behind its `&`.
((lambda_capture_specifier) @list (#set! members "runs"))
((base_class_clause) @list (#set! members "runs") (#set! empty "goes"))
((field_initializer_list) @list (#set! empty "goes"))
