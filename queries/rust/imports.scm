; Names, items and use declarations, for a move that keeps its names (docs/editing.md). queries/imports.toml states how
; declarations are written.

[(identifier) (type_identifier) (field_identifier) (shorthand_field_identifier)] @name
(type_identifier) @type_name
(trait_bounds (type_identifier) @trait_name)
(trait_bounds (generic_type (type_identifier) @trait_name))
(impl_item trait: (type_identifier) @trait_name)
(impl_item trait: (generic_type (type_identifier) @trait_name))
(dynamic_type (type_identifier) @trait_name)
(dynamic_type (generic_type (type_identifier) @trait_name))
(abstract_type (type_identifier) @trait_name)
(abstract_type (generic_type (type_identifier) @trait_name))
(bracketed_type (qualified_type alias: (type_identifier) @trait_name))

[(function_item) (struct_item) (enum_item) (union_item) (trait_item) (type_item) (const_item) (static_item) (mod_item)
 (macro_definition) (extern_crate_declaration)] @named_item
(mod_item) @module_item
(trait_item) @trait_item
[(function_item) (function_signature_item)] @method_definition
; Their meaning depends on their place in the file or in the crate.
[(mod_item) (macro_definition) (macro_invocation) (extern_crate_declaration) (use_declaration) (foreign_mod_item)
 (inner_attribute_item)] @place_item
(visibility_modifier) @visibility
; Members that only their module and those inside it see, unless they have a visibility.
(struct_item body: (field_declaration_list (field_declaration) @private))
(union_item body: (field_declaration_list (field_declaration) @private))
(struct_item body: (ordered_field_declaration_list) @private)
(struct_item body: (ordered_field_declaration_list) @unnamed)
(impl_item !trait body: (declaration_list [(function_item) (const_item)] @private))

(use_declaration) @statement
