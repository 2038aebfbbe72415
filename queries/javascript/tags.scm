; Definitions and their names, as editor outlines list them; JSX, TypeScript and TSX share this file. A
; definition includes its parent if that merely wraps it: `export`, `const`, a semicolon.

(function_declaration name: (_) @name) @definition.function
(generator_function_declaration name: (_) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(method_definition name: (_) @name) @definition.method
; An unnamed export has the keyword that exports it, `default`, as its name.
(export_statement "default" @name
  value: [(function_expression !name) (arrow_function)]) @definition.function
(export_statement "default" @name value: (class !name)) @definition.class
(export_statement "default" @name value: [(object) (array) (call_expression)]) @definition.constant

; A function or a class that is assigned to a name is a definition of that name, wherever it is.
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(variable_declarator name: (identifier) @name value: (class)) @definition.class
(pair key: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @definition.method

; Other variables are symbols if they belong to the file, not to a function.
(program (lexical_declaration kind: "const"
  (variable_declarator name: (identifier) @name) @definition.constant))
(program (lexical_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(export_statement declaration: (lexical_declaration kind: "const"
  (variable_declarator name: (identifier) @name) @definition.constant))
(export_statement declaration: (lexical_declaration
  (variable_declarator name: (identifier) @name) @definition.variable))
(export_statement declaration: (variable_declaration
  (variable_declarator name: (identifier) @name) @definition.variable))

; A constant that a destructuring pattern declares spans only its name.
(program (lexical_declaration kind: "const" (variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @name @definition.constant))))
(program (lexical_declaration kind: "const" (variable_declarator
  name: (object_pattern (pair_pattern value: (identifier) @name @definition.constant)))))
(program (lexical_declaration kind: "const" (variable_declarator
  name: (array_pattern (identifier) @name @definition.constant))))
(export_statement declaration: (lexical_declaration kind: "const" (variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @name @definition.constant))))
(export_statement declaration: (lexical_declaration kind: "const" (variable_declarator
  name: (object_pattern (pair_pattern value: (identifier) @name @definition.constant)))))
(export_statement declaration: (lexical_declaration kind: "const" (variable_declarator
  name: (array_pattern (identifier) @name @definition.constant))))

; The properties of an object that belongs to the file are symbols, as the fields of a class are. Properties
; nested in those are not symbols, nor are those of an object in a function.
(program (lexical_declaration (variable_declarator
  value: (object (pair key: (_) @name) @definition.property))))
(program (variable_declaration (variable_declarator
  value: (object (pair key: (_) @name) @definition.property))))
(export_statement declaration: (lexical_declaration (variable_declarator
  value: (object (pair key: (_) @name) @definition.property))))
(export_statement value: (object (pair key: (_) @name) @definition.property))
(program (expression_statement (assignment_expression
  left: (member_expression object: (identifier) @_object property: (_) @_property)
  right: (object (pair key: (_) @name) @definition.property)))
  (#eq? @_object "module") (#eq? @_property "exports"))

; `exports.f = function () {}`, `module.exports.f` and `this.f` have the name `f`; `A.prototype.f` has its
; full name too.
(assignment_expression left: (member_expression object: (identifier) @_object property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#eq? @_object "exports")) @definition.function
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @_module property: (_) @_exports)
    property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)]
  (#eq? @_module "module") (#eq? @_exports "exports")) @definition.function
(assignment_expression left: (member_expression object: (this) property: (_) @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(assignment_expression left: (member_expression property: (_) @alias) @name
  right: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(assignment_expression left: (member_expression property: (_) @alias) @name
  right: (class)) @definition.class

; A test or a group of tests has its description as its name: `it("adds")`, `describe.only("sums")`,
; `test.each([1, 2])("adds %i")`.
(call_expression function: (identifier) @_word
  arguments: (arguments [(string) (template_string)] @name)
  (#any-of? @_word "describe" "it" "test" "suite" "context" "specify" "bench"
    "fdescribe" "xdescribe" "fit" "xit" "xtest" "ddescribe" "iit")) @definition.test
(call_expression function: (member_expression object: (identifier) @_word property: (_) @_how)
  arguments: (arguments [(string) (template_string)] @name)
  (#any-of? @_word "describe" "it" "test" "suite" "context" "specify" "bench")
  (#any-of? @_how "only" "skip" "todo" "concurrent" "sequential" "parallel" "serial" "failing"
    "fails" "fixme" "slow" "describe" "step" "suite" "test" "it")) @definition.test
(call_expression
  function: (member_expression
    object: (member_expression object: (identifier) @_word property: (_) @_how))
  arguments: (arguments [(string) (template_string)] @name)
  (#any-of? @_word "describe" "it" "test")
  (#any-of? @_how "only" "skip" "concurrent" "describe" "sequential")) @definition.test
(call_expression
  function: (call_expression
    function: (member_expression object: (identifier) @_word property: (_) @_how))
  arguments: (arguments [(string) (template_string)] @name)
  (#any-of? @_word "describe" "it" "test" "suite" "fit" "xit" "xtest" "fdescribe" "xdescribe")
  (#any-of? @_how "each" "for" "skipIf" "runIf" "todoIf" "failing")) @definition.test
(call_expression
  function: (call_expression
    function: (member_expression
      object: (member_expression object: (identifier) @_word) property: (_) @_how))
  arguments: (arguments [(string) (template_string)] @name)
  (#any-of? @_word "describe" "it" "test")
  (#any-of? @_how "each" "for")) @definition.test

; These nodes contain no definition.
[(regex) (string)] @closed
