; Definitions and their names. Each definition is a call in the grammar: the called macro determines its kind.

((call target: (identifier) @_def (arguments (alias) @name) (do_block)) @definition.module
  (#eq? @_def "defmodule"))
((call target: (identifier) @_def (arguments (alias) @name) (do_block)) @definition.interface
  (#eq? @_def "defprotocol"))
; The name of an implementation includes the type that it is for.
((call target: (identifier) @_def (arguments (alias) @name (keywords (pair value: (_) @type))) (do_block))
  @definition.implementation
  (#eq? @_def "defimpl") (#set! name "@name, for: @type"))
((call target: (identifier) @_def (arguments (alias) @name) (do_block)) @definition.implementation
  (#eq? @_def "defimpl"))

; `def f(x)`, `def f`, `def f(x) when x > 0`. Each clause of a function is a symbol.
((call target: (identifier) @_def (arguments (call target: (identifier) @name))) @definition.function
  (#any-of? @_def "def" "defp" "defguard" "defguardp" "defdelegate" "defn" "defnp"))
((call target: (identifier) @_def (arguments (identifier) @name)) @definition.function
  (#any-of? @_def "def" "defp" "defdelegate"))
((call target: (identifier) @_def
  (arguments (binary_operator left: (call target: (identifier) @name) operator: "when"))) @definition.function
  (#any-of? @_def "def" "defp" "defguard" "defguardp" "defn" "defnp"))
((call target: (identifier) @_def
  (arguments (binary_operator left: (identifier) @name operator: "when"))) @definition.function
  (#any-of? @_def "def" "defp"))
((call target: (identifier) @_def (arguments (call target: (identifier) @name))) @definition.macro
  (#any-of? @_def "defmacro" "defmacrop"))
((call target: (identifier) @_def (arguments (identifier) @name)) @definition.macro
  (#any-of? @_def "defmacro" "defmacrop"))
((call target: (identifier) @_def
  (arguments (binary_operator left: (call target: (identifier) @name) operator: "when"))) @definition.macro
  (#any-of? @_def "defmacro" "defmacrop"))

; Named test blocks.
((call target: (identifier) @_block (arguments (string (quoted_content) @name)) (do_block)) @definition.test
  (#any-of? @_block "test" "describe" "property"))

((unary_operator operator: "@" operand: (call target: (identifier) @_at
  (arguments (binary_operator left: (call target: (identifier) @name))))) @definition.type
  (#any-of? @_at "type" "typep" "opaque"))
((unary_operator operator: "@" operand: (call target: (identifier) @_at
  (arguments (binary_operator left: (identifier) @name)))) @definition.type
  (#any-of? @_at "type" "typep" "opaque"))
((unary_operator operator: "@" operand: (call target: (identifier) @_at
  (arguments (binary_operator left: (call target: (identifier) @name))))) @definition.callback
  (#any-of? @_at "callback" "macrocallback"))

; Attributes that describe the module or the following definition are not constants.
((unary_operator operator: "@" operand: (call target: (identifier) @_at)) @definition.none
  (#any-of? @_at "moduledoc" "doc" "typedoc" "spec" "impl" "behaviour" "derive" "deprecated" "since"
    "dialyzer" "enforce_keys" "compile" "on_load" "before_compile" "after_compile" "external_resource" "fallback_to_any"
    "type" "typep" "opaque" "callback" "macrocallback" "optional_callbacks" "tag" "moduletag" "describetag"))
(unary_operator operator: "@" operand: (call target: (identifier) @name (arguments))) @definition.constant
