; Lists that C++ adds to those of C (c/lists.scm).

[(template_parameter_list) (subscript_argument_list)] @list
((template_argument_list) @list)
; "runs": an access specifier precedes a base class, and a `&` may precede a captured variable.
((lambda_capture_specifier) @list (#set! members "runs"))
((base_class_clause) @list (#set! members "runs") (#set! empty "goes"))
((field_initializer_list) @list (#set! empty "goes"))
