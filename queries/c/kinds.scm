; General words (docs/pointing.md) for the node types of tree-sitter-c 0.24.2. C++ shares this file, and its
; grammar lists no supertypes.

(function_definition) @function
(declaration declarator: [
  (function_declarator)
  (pointer_declarator declarator: (function_declarator))]) @function
[(struct_specifier) (union_specifier)] @class
[(struct_specifier) (union_specifier)] @struct
(enum_specifier) @enum
[(type_definition) (type_descriptor) (struct_specifier) (union_specifier) (enum_specifier)
 (primitive_type) (sized_type_specifier) (type_identifier)] @type
[(declaration) (init_declarator)] @variable
[(field_declaration) (initializer_pair)] @field
(enumerator) @field
(parameter_declaration) @parameter
(parameter_list (_) @parameter)
(preproc_params (_) @parameter)
(argument_list (_) @argument)
[(expression_statement) (declaration) (type_definition) (if_statement)
 (switch_statement) (case_statement) (while_statement) (do_statement) (for_statement)
 (return_statement) (break_statement) (continue_statement) (goto_statement)
 (labeled_statement)] @statement
[(identifier) (call_expression) (assignment_expression) (binary_expression) (unary_expression)
 (update_expression) (conditional_expression) (cast_expression) (pointer_expression)
 (field_expression) (subscript_expression) (sizeof_expression) (parenthesized_expression)
 (compound_literal_expression) (number_literal) (string_literal) (concatenated_string)
 (char_literal) (true) (false) (null)] @expression
[(compound_statement) (declaration_list) (field_declaration_list) (enumerator_list)] @block
(call_expression) @call
(preproc_include) @import
(comment) @comment
[(string_literal) (concatenated_string) (char_literal) (system_lib_string)] @string
(initializer_list (_) @element)
[(function_definition) (declaration) (type_definition) (struct_specifier) (union_specifier)
 (enum_specifier) (linkage_specification) (preproc_include) (preproc_def) (preproc_function_def)
 (preproc_call) (preproc_if) (preproc_ifdef)] @item
[(argument_list) (parameter_list) (initializer_list) (enumerator_list) (preproc_params)] @list
(case_statement) @case
[(attribute_declaration) (attribute_specifier) (ms_declspec_modifier)] @attribute
