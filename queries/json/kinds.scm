; General words (docs/pointing.md) for the node types of tree-sitter-json 0.24.8.

(pair) @property
(array [(object) (array) (string) (number) (true) (false) (null)] @element)
(string) @string
(comment) @comment
[(array) (object)] @list
(object) @block
[(object) (array) (string) (number) (true) (false) (null)] @expression
(pair key: (_) @key)

; @value: the value of a pair, which content without a key replaces.
(pair value: (_) @value)
