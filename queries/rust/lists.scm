; Lists whose members are set apart by commas that belong to the list, not to the members.

[(arguments) (parameters) (closure_parameters) (array_expression) (tuple_expression)
 (tuple_type) (tuple_pattern) (slice_pattern) (tuple_struct_pattern) (struct_pattern)
 (type_arguments) (type_parameters) (use_list) (field_declaration_list)
 (ordered_field_declaration_list) (field_initializer_list) (enum_variant_list) (where_clause)] @list
