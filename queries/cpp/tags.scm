; Names of things, before those of C (c/tags.scm), which hold for the rest. What is defined outside
; of its class is called by its whole name, `Box<T>::put`, and without the arguments of templates.

; A reference and a pack stand round the name as a pointer does.
(reference_declarator (_) @named)

; What is declared in the head of a statement is no symbol of the file.
(init_statement (declaration) @definition.none)
(condition_clause (declaration) @definition.none)

(namespace_definition name: (_) @name) @definition.namespace
(class_specifier name: (template_type name: (_) @alias) @name body: (_)) @definition.class
(class_specifier name: (_) @name body: (_)) @definition.class
(struct_specifier name: (template_type name: (_) @alias) @name body: (_)) @definition.struct

(alias_declaration name: (_) @name) @definition.type
(namespace_alias_definition name: (_) @name) @definition.namespace
(concept_definition name: (_) @name) @definition.concept

; With a macro before its name a class is read as a function without parameters.
(function_definition type: [(class_specifier) (struct_specifier)] declarator: (identifier) @name)
  @definition.class

; A conversion is named by the type it leads to.
(function_definition declarator: (operator_cast type: (_) @type @name)
  (#set! name "operator @type")) @definition.method
(declaration declarator: (operator_cast type: (_) @type @name)
  (#set! name "operator @type")) @definition.method

; Tests are called as they are written: `TEST(Suite, Name)`.
(function_definition !type declarator: (function_declarator
    declarator: (identifier) @type parameters: (_) @name)
  (#any-of? @type "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P")
  (#set! name "@type@name")) @definition.test

; Those of a class.
(field_declaration_list (function_definition declarator: (_) @name) @definition.method)
(field_declaration_list (declaration declarator: (_) @name) @definition.method)
(field_declaration_list (template_declaration (function_definition declarator: (_) @name) @definition.method))
(field_declaration_list (template_declaration (declaration declarator: (_) @name) @definition.method))
(field_declaration declarator: [
  (function_declarator)
  (pointer_declarator declarator: (function_declarator))
  (reference_declarator (function_declarator))] @name) @definition.method
(declaration declarator: (reference_declarator (function_declarator)) @name) @definition.function
