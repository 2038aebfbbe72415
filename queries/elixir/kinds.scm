; General words (docs/pointing.md) for the node types of tree-sitter-elixir 0.3.5.

((call target: (identifier) @_def) @function
  (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate" "defn" "defnp"))
((call target: (identifier) @_def) @module (#any-of? @_def "defmodule" "defimpl"))
((call target: (identifier) @_def) @class (#any-of? @_def "defmodule" "defimpl" "defprotocol"))
((call target: (identifier) @_def) @interface (#eq? @_def "defprotocol"))
((call target: (identifier) @_def) @struct (#any-of? @_def "defstruct" "defexception"))
((call target: (identifier) @_def) @import (#any-of? @_def "import" "alias" "require" "use"))
((unary_operator operand: (call target: (identifier) @_at)) @type (#any-of? @_at "type" "typep" "opaque"))
(call) @call
(binary_operator operator: "=") @variable
(source (_) @statement)
(do_block (_) @statement)
(body (_) @statement)
(source (call) @item)
(do_block (call) @item)
[(call) (unary_operator) (binary_operator) (access_call) (dot) (anonymous_function) (block) (identifier)
 (alias) (integer) (float) (char) (boolean) (nil) (atom) (quoted_atom) (string) (charlist) (sigil) (list)
 (tuple) (bitstring) (map)] @expression
[(do_block) (block) (body) (else_block) (rescue_block) (catch_block) (after_block)] @block
(arguments (_) @argument)
(comment) @comment
[(string) (charlist) (sigil) (quoted_atom)] @string
(pair) @property
(list (_) @element)
(tuple (_) @element)
(map_content (_) @element)
[(list) (tuple) (bitstring) (map) (keywords) (arguments)] @list
; A clause of `case`, `cond`, `receive` or `with`; that of an anonymous function is not one of several cases.
(do_block (stab_clause) @case)
(else_block (stab_clause) @case)
(unary_operator operator: "@" operand: (call)) @attribute
(pair key: (_) @key)
(map_content (binary_operator left: (_) @key operator: "=>"))
