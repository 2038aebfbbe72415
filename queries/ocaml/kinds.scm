; General words (docs/pointing.md) for the node types of tree-sitter-ocaml 0.26.0.

(let_binding (parameter)) @function
(let_binding body: [(fun_expression) (function_expression)]) @function
[(external) (method_definition)] @function
(value_specification type: (function_type)) @function
[(method_definition) (method_specification)] @method
[(class_binding) (class_type_binding)] @class
(type_binding body: (record_declaration)) @struct
(type_binding body: (variant_declaration)) @enum
[(module_type_definition) (class_type_binding)] @interface
[(module_binding) (structure) (signature)] @module
[(type_binding) (_type)] @type
[(let_binding) (value_specification) (instance_variable_definition) (instance_variable_specification)] @variable
[(field_declaration) (field_expression)] @field
[(parameter) (module_parameter)] @parameter
(application_expression argument: (_) @argument)
(sequence_expression (_) @statement)
(do_clause (_) @statement)
[(value_definition) (external) (type_definition) (exception_definition) (module_definition)
 (module_type_definition) (class_definition) (open_module) (include_module)] @statement
(_expression) @expression
[(structure) (signature) (do_clause) (parenthesized_expression) (object_expression)] @block
(application_expression) @call
[(open_module) (include_module)] @import
(comment) @comment
[(string) (quoted_string) (character)] @string
(field_expression) @property
(list_expression (_) @element)
(array_expression (_) @element)
(tuple_expression (_) @element)
(list_pattern (_) @element)
[(value_definition) (external) (type_definition) (exception_definition) (module_definition)
 (module_type_definition) (class_definition) (class_type_definition) (open_module) (include_module)
 (value_specification)] @item
[(list_expression) (array_expression) (list_pattern) (array_pattern) (record_expression)
 (tuple_expression)] @list
(match_case) @case
[(attribute) (item_attribute) (floating_attribute)] @attribute
