; Definitions and their names. @definition.<kind> captures a definition, @name its declared name, @alias a
; second name (without generic arguments and qualifiers), @leading a node that precedes a definition and
; belongs to its range, as in rust-analyzer.

[(attribute_item) (line_comment outer: (_)) (block_comment outer: (_))] @leading

(function_item name: (_) @name) @definition.function
(function_signature_item name: (_) @name) @definition.function
(macro_definition name: (_) @name) @definition.macro

(struct_item name: (_) @name) @definition.struct
(union_item name: (_) @name) @definition.struct
(enum_item name: (_) @name) @definition.enum
(trait_item name: (_) @name) @definition.interface
(mod_item name: (_) @name) @definition.module

(enum_variant name: (_) @name) @definition.variant
(field_declaration name: (_) @name) @definition.field

(type_item name: (_) @name) @definition.type
(associated_type name: (_) @name) @definition.type
(const_item name: (_) @name) @definition.constant
(static_item name: (_) @name) @definition.constant

; `impl<T> fmt::Display for Point<T>` is named as rust-analyzer names it; its second name is `Point`.
(impl_item trait: (_) @trait type: (_) @type @alias @name
  (#set! name "impl @trait for @type")) @definition.implementation
(impl_item !trait type: (_) @type @alias @name
  (#set! name "impl @type")) @definition.implementation

; These nodes contain no definition.
[(block_comment) (line_comment) (macro_rule) (raw_string_literal) (string_literal) (token_tree)] @closed
