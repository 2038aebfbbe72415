; Definitions and their names, as RStudio and ctags list them: functions wherever they are assigned to a name,
; variables at the top level of a file, classes and generics by the first string of their declaration.

(binary_operator lhs: (_) @name operator: ["<-" "<<-" "="] rhs: (function_definition)) @definition.function

((binary_operator lhs: (identifier) @name operator: ["<-" "="]
  rhs: (call function: (identifier) @_call)) @definition.class
  (#any-of? @_call "R6Class" "setRefClass" "setClass" "new_class" "ggproto"))
((program (call function: (identifier) @_call
  arguments: (arguments argument: (argument !name value: (string (string_content) @name)))) @definition.class)
  (#any-of? @_call "setClass" "setRefClass" "R6Class" "setClassUnion"))
((program (call function: (identifier) @_call
  arguments: (arguments argument: (argument !name value: (string (string_content) @name)))) @definition.function)
  (#any-of? @_call "setGeneric" "setMethod" "setReplaceMethod" "setValidity"))

; Methods of an R6 class or a reference class.
((call function: (identifier) @_list arguments: (arguments
  argument: (argument name: (identifier) @name value: (function_definition)) @definition.method))
  (#eq? @_list "list"))

; Named test blocks.
((call function: (identifier) @_block
  arguments: (arguments argument: (argument value: (string (string_content) @name)))) @definition.test
  (#any-of? @_block "test_that" "describe" "it"))

(program (binary_operator lhs: (identifier) @name operator: ["<-" "<<-" "="]) @definition.variable)
(program (binary_operator operator: ["->" "->>"] rhs: (identifier) @name) @definition.variable)
