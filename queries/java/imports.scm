; Names, their scopes and the import statements, for a move that keeps its names (docs/editing.md). queries/imports.toml
; states how statements are written.

[(identifier) (type_identifier)] @name
(field_access field: (_) @member)
(method_invocation object: (_) name: (_) @member)
(element_value_pair key: (_) @member)
(scoped_identifier name: (_) @member)
(constructor_declaration name: (_) @member)

; What a name is the name of, as far as its place states it.
(method_invocation name: (identifier) @called)
(type_identifier) @type_name
(marker_annotation name: (identifier) @type_name)
(annotation name: (identifier) @type_name)
(method_invocation object: (identifier) @value_or_type)
(field_access object: (identifier) @value_or_type)
(scoped_identifier scope: (identifier) @value_or_type)
(method_reference . (identifier) @value_or_type)
(record_pattern . (identifier) @type_name)

[(class_declaration) (interface_declaration) (enum_declaration) (record_declaration) (annotation_type_declaration)
 (class_body) (interface_body) (enum_body) (annotation_type_body) (method_declaration) (constructor_declaration)
 (compact_constructor_declaration) (block) (lambda_expression) (for_statement) (enhanced_for_statement) (catch_clause)
 (try_with_resources_statement) (switch_block_statement_group) (switch_rule)] @scope

[(class_declaration) (interface_declaration) (enum_declaration) (record_declaration) (annotation_type_declaration)
 (type_parameter)] @type_definition
(class_declaration name: (_) @binds_outside)
(interface_declaration name: (_) @binds_outside)
(enum_declaration name: (_) @binds_outside)
(record_declaration name: (_) @binds_outside)
(annotation_type_declaration name: (_) @binds_outside)
(type_parameter (type_identifier) @binds)
(method_declaration name: (_) @binds_outside)
(variable_declarator name: (_) @binds)
(formal_parameter name: (_) @binds)
(catch_formal_parameter name: (_) @binds)
(enhanced_for_statement name: (_) @binds)
(resource name: (_) @binds)
(lambda_expression parameters: (identifier) @binds)
(inferred_parameters (identifier) @binds)
(instanceof_expression name: (_) @binds)
(type_pattern (identifier) @binds)
(record_pattern_component (identifier) @binds)
(enum_constant name: (_) @binds)

(package_declaration) @package
(import_declaration) @statement
(import_declaration [(scoped_identifier) (identifier)] @module)
(import_declaration (asterisk) @star)
(import_declaration "static") @static

; The file of a public type has its name. Without a list, only types of the same file extend a sealed one.
(class_declaration (modifiers "public")) @names_file
(interface_declaration (modifiers "public")) @names_file
(enum_declaration (modifiers "public")) @names_file
(record_declaration (modifiers "public")) @names_file
(annotation_type_declaration (modifiers "public")) @names_file
(class_declaration (modifiers "sealed") !permits) @same_file
(interface_declaration (modifiers "sealed") !permits) @same_file
(class_declaration (modifiers "sealed")) @same_package
(interface_declaration (modifiers "sealed")) @same_package

; Which members only their package sees.
[(method_declaration) (field_declaration) (constructor_declaration) (compact_constructor_declaration)
 (class_declaration) (interface_declaration) (enum_declaration) (record_declaration)
 (annotation_type_declaration)] @member_definition
(method_declaration) @method_definition
(method_declaration (modifiers "public")) @public
(field_declaration (modifiers "public")) @public
(constructor_declaration (modifiers "public")) @public
(class_declaration (modifiers "public")) @public
(interface_declaration (modifiers "public")) @public
(enum_declaration (modifiers "public")) @public
(record_declaration (modifiers "public")) @public
(annotation_type_declaration (modifiers "public")) @public
(interface_body [(method_declaration) (class_declaration) (interface_declaration) (enum_declaration)
 (record_declaration)] @public)
(method_declaration (modifiers "private")) @private
(field_declaration (modifiers "private")) @private
(constructor_declaration (modifiers "private")) @private
(class_declaration (modifiers "private")) @private
(interface_declaration (modifiers "private")) @private
(enum_declaration (modifiers "private")) @private
(record_declaration (modifiers "private")) @private
