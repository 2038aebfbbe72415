; Lists of C++ beside those of C (c/lists.scm).

[(template_parameter_list) (lambda_capture_specifier) (subscript_argument_list)] @list
((template_argument_list) @list)
; A base stands behind the word that says who sees it.
((base_class_clause) @list (#set! members "runs") (#set! empty "goes"))
((field_initializer_list) @list (#set! empty "goes"))
