; General words (docs/pointing.md) for the node types of tree-sitter-rust 0.24.2.

[(function_item) (function_signature_item)] @function
(declaration_list [(function_item) (function_signature_item)] @method)
[(impl_item) (struct_item) (trait_item)] @class
[(struct_item) (union_item)] @struct
(enum_item) @enum
(trait_item) @interface
[(mod_item) (foreign_mod_item)] @module
[(_type) (type_item) (associated_type)] @type
[(let_declaration) (const_item) (static_item)] @variable
[(field_declaration) (field_initializer) (shorthand_field_initializer)] @field
[(parameter) (self_parameter) (variadic_parameter) (type_parameter) (const_parameter) (lifetime_parameter)] @parameter
(closure_parameters (_) @parameter)
(arguments (_) @argument)
(type_arguments (_) @argument)
[(expression_statement) (let_declaration) (empty_statement)] @statement
(block (_expression) @statement)
(_expression) @expression
[(block) (match_block) (declaration_list) (field_declaration_list) (enum_variant_list)] @block
[(call_expression) (macro_invocation)] @call
[(use_declaration) (extern_crate_declaration)] @import
[(line_comment) (block_comment)] @comment
[(string_literal) (raw_string_literal) (char_literal)] @string
(array_expression (_) @element)
(tuple_expression (_) @element)
[(function_item) (function_signature_item) (struct_item) (union_item) (enum_item) (trait_item)
 (impl_item) (mod_item) (foreign_mod_item) (type_item) (const_item) (static_item)
 (macro_definition) (use_declaration) (extern_crate_declaration)] @item
[(arguments) (parameters) (array_expression) (tuple_expression) (use_list) (type_arguments) (type_parameters)] @list
(match_arm) @case
[(attribute_item) (inner_attribute_item)] @attribute
(macro_rule) @rule
