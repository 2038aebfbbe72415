; Names of things, as the outline of an editor has them; shared with JSX, TypeScript and TSX. A
; definition reaches over what does but stand round it: `export`, `const`, a semicolon.

(function_declaration name: (_) @name) @definition.function
(generator_function_declaration name: (_) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(method_definition name: (_) @name) @definition.method
; What has no name is called by the word that exports it.
(export_statement "default" @name
  value: [(function_expression !name) (arrow_function)]) @definition.function
(export_statement "default" @name value: (class !name)) @definition.class
(export_statement "default" @name value: [(object) (array) (call_expression)]) @definition.constant

; A function or a class that a name is given to is one of that name, wherever it stands.
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(variable_declarator name: (identifier) @name value: (class)) @definition.class
(pair key: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @definition.method

; Of other variables those are things that belong to the file, not to a function.
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

; Constants that a pattern takes out of a value reach over their name alone.
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

; An object that belongs to the file has properties, as a class has fields; what is inside of those is
; no symbol, and neither is an object in a function.
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

; `exports.f = function () {}`, `module.exports.f`, `this.f` are called `f`; `A.prototype.f` by its
; whole name too.
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

; A test or a group of tests is called by its sentence: `it("adds")`, `describe.only("sums")`,
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

; Below these the grammar has no definition.
[(regex) (string)] @closed
