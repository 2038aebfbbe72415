; The values of names and functions, which determine what a receiver is.
(assignment right: (_) @assigned)
(return_statement (_) @returned)
(yield (_) @yielded)
(with_item value: (as_pattern . (_) @entered))
(with_statement "async") @awaited
(list_splat) @spread

; Names that are known when the code runs.
((subscript value: (call function: (identifier) @_function) subscript: (_) @composed_own)
  (#any-of? @_function "globals" "vars"))
((call function: (identifier) @_function arguments: (argument_list (string (interpolation)) @composed_member))
  (#any-of? @_function "getattr" "setattr" "hasattr" "delattr"))
((call function: (identifier) @_function arguments: (argument_list (binary_operator) @composed_member))
  (#any-of? @_function "getattr" "setattr" "hasattr" "delattr"))
((call function: (identifier) @_function
  arguments: (argument_list (call function: (attribute object: (string) @composed_member))))
  (#any-of? @_function "getattr" "setattr" "hasattr" "delattr"))
