; Definitions and their names in C++. They take precedence over those of C (c/tags.scm), which apply
; otherwise. A member that is defined outside its class has its qualified name, with and without template
; arguments: `Box<T>::put`, `Box::put`.

; A reference declarator wraps the name, as a pointer declarator does.
(reference_declarator (_) @named)

; A declaration in the head of a statement is not a symbol of the file.
(init_statement (declaration) @definition.none)
(condition_clause (declaration) @definition.none)

(namespace_definition name: (_) @name) @definition.namespace
(class_specifier name: (template_type name: (_) @alias) @name body: (_)) @definition.class
(class_specifier name: (_) @name body: (_)) @definition.class
(struct_specifier name: (template_type name: (_) @alias) @name body: (_)) @definition.struct

(alias_declaration name: (_) @name) @definition.type
(namespace_alias_definition name: (_) @name) @definition.namespace
(concept_definition name: (_) @name) @definition.concept

; If a macro precedes the name of a class, the grammar parses the class as a function without parameters.
(function_definition type: [(class_specifier) (struct_specifier)] declarator: (identifier) @name)
  @definition.class

; A conversion operator has the name of the type that it converts to.
(function_definition declarator: (operator_cast type: (_) @type @name)
  (#set! name "operator @type")) @definition.method
(declaration declarator: (operator_cast type: (_) @type @name)
  (#set! name "operator @type")) @definition.method

; A test is named as it is written: `TEST(Suite, Name)`.
(function_definition !type declarator: (function_declarator
    declarator: (identifier) @type parameters: (_) @name)
  (#any-of? @type "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P")
  (#set! name "@type@name")) @definition.test

; Methods of a class, and functions that return a reference.
(field_declaration_list (function_definition declarator: (_) @name) @definition.method)
(field_declaration_list (declaration declarator: (_) @name) @definition.method)
(field_declaration_list (template_declaration (function_definition declarator: (_) @name) @definition.method))
(field_declaration_list (template_declaration (declaration declarator: (_) @name) @definition.method))
(field_declaration declarator: [
  (function_declarator)
  (pointer_declarator declarator: (function_declarator))
  (reference_declarator (function_declarator))] @name) @definition.method
(declaration declarator: (reference_declarator (function_declarator)) @name) @definition.function
