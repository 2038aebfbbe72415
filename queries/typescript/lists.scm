; Lists that TypeScript adds. For the settings, see rust/lists.scm and javascript/lists.scm.

([(type_parameters) (type_arguments)] @list (#set! empty "goes"))
(tuple_type) @list
((enum_body) @list (#set! trailing "lines") (#set! opens "lines"))
([(implements_clause) (extends_type_clause)] @list (#set! empty "goes") (#set! inside "none"))
; "runs": the type arguments of a base are its siblings.
((extends_clause) @list (#set! members "runs") (#set! empty "goes") (#set! inside "none"))
((interface_body) @list
  (#set! separator ";") (#set! other ",") (#set! optional "lines") (#set! opens "lines"))
((object_type) @list (#set! separator ";") (#set! other ",") (#set! optional "lines"))

[(type_alias_declaration) (function_signature) (ambient_declaration) (import_alias)] @ended

((union_type) @list (#set! separator " |") (#set! begins "lines"))
