; Definitions and their names, as editors list them. `class A::B` has the second name `B`. Constants are
; symbols if they belong to a file, a module or a class. A test or a group of tests has its description as its
; name.

(module name: (scope_resolution name: (_) @alias) @name) @definition.module
(module name: (_) @name) @definition.module
(class name: (scope_resolution name: (_) @alias) @name) @definition.class
(class name: (_) @name) @definition.class
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method

(program (assignment left: (constant) @name) @definition.constant)
(module body: (body_statement (assignment left: (constant) @name) @definition.constant))
(class body: (body_statement (assignment left: (constant) @name) @definition.constant))

(call !receiver method: (identifier) @_word
  arguments: (argument_list [(string) (constant) (scope_resolution)] @name)
  block: (_)
  (#any-of? @_word "describe" "context" "feature" "it" "specify" "scenario" "test" "should"
    "shared_examples" "shared_context" "xdescribe" "xcontext" "xit" "fdescribe" "fcontext" "fit")) @definition.test
(call receiver: (constant) @_group method: (identifier) @_word
  arguments: (argument_list [(string) (constant) (scope_resolution)] @name)
  block: (_)
  (#eq? @_group "RSpec") (#any-of? @_word "describe" "context" "shared_examples")) @definition.test
