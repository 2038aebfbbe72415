; Definitions and their names. For the captures, see rust/tags.scm.

(function_declaration name: (_) @name) @definition.function
; `func (s *Server[T]) Serve()` is named as gopls names it; its second name is `Server.Serve`.
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @type)) name: (_) @name
  (#set! name "(@type).@name") (#set! alias "@type.@name")) @definition.method

(type_spec name: (_) @name type: (struct_type)) @definition.struct
(type_spec name: (_) @name type: (interface_type)) @definition.interface
(type_spec name: (_) @name) @definition.type
(type_alias name: (_) @name) @definition.type
; The struct type of a literal has no name, so its fields are not symbols:
; `tests := []struct{ in, out int }{...}`.
(composite_literal type: (struct_type
  (field_declaration_list (field_declaration) @definition.none)))
(composite_literal type: (slice_type element: (struct_type
  (field_declaration_list (field_declaration) @definition.none))))
(composite_literal type: (array_type element: (struct_type
  (field_declaration_list (field_declaration) @definition.none))))
(composite_literal type: (implicit_length_array_type element: (struct_type
  (field_declaration_list (field_declaration) @definition.none))))
(composite_literal type: (map_type value: (struct_type
  (field_declaration_list (field_declaration) @definition.none))))
(field_declaration name: (_) @name) @definition.field
; An embedded field has the name of its type.
(field_declaration !name type: (qualified_type name: (_) @name)) @definition.field
(field_declaration !name type: (generic_type type: (type_identifier) @name)) @definition.field
(field_declaration !name type: (_) @name) @definition.field
(method_elem name: (_) @name) @definition.method

(source_file (const_declaration (const_spec name: (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec name: (_) @name) @definition.variable))
(source_file (var_declaration (var_spec_list (var_spec name: (_) @name) @definition.variable)))

; Named test blocks.
(call_expression
  function: (selector_expression field: (field_identifier) @_run)
  arguments: (argument_list [(interpreted_string_literal) (raw_string_literal)] @name (func_literal))
  (#eq? @_run "Run")) @definition.test
(call_expression
  function: (identifier) @_block
  arguments: (argument_list [(interpreted_string_literal) (raw_string_literal)] @name (func_literal))
  (#any-of? @_block "Describe" "Context" "When" "It" "Specify")) @definition.test

; These nodes contain no definition.
[(import_declaration) (interpreted_string_literal) (package_clause) (qualified_type)
  (raw_string_literal)] @closed
