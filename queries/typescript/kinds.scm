; General words (docs/pointing.md) for the node types that tree-sitter-typescript 0.23.2 adds.

(public_field_definition
  value: [(arrow_function) (function_expression) (generator_function)] @function (#set! is "not"))
(public_field_definition
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(function_signature) @function
[(method_signature) (abstract_method_signature)] @function
[(method_signature) (abstract_method_signature)] @method
(abstract_class_declaration) @class
(interface_declaration) @interface
(enum_declaration) @enum
[(internal_module) (module)] @module
(type_alias_declaration) @type
[(constructor_type) (function_type) (infer_type) (readonly_type) (array_type) (conditional_type)
 (existential_type) (generic_type) (index_type_query) (intersection_type) (literal_type)
 (lookup_type) (nested_type_identifier) (object_type) (parenthesized_type) (predefined_type)
 (template_literal_type) (this_type) (tuple_type) (type_identifier) (type_query)
 (union_type)] @type
[(public_field_definition) (property_signature)] @field
[(public_field_definition) (property_signature)] @property
(type_parameters (_) @parameter)
(type_arguments (_) @argument)
(tuple_type (_) @element)
[(interface_body) (enum_body) (object_type)] @block
[(type_arguments) (type_parameters) (tuple_type)] @list
[(abstract_class_declaration) (ambient_declaration) (enum_declaration) (function_signature)
 (import_alias) (interface_declaration) (internal_module) (module) (type_alias_declaration)] @statement
[(abstract_class_declaration) (ambient_declaration) (enum_declaration) (function_signature)
 (import_alias) (interface_declaration) (internal_module) (module) (type_alias_declaration)] @item
[(as_expression) (instantiation_expression) (non_null_expression) (satisfies_expression)] @expression
