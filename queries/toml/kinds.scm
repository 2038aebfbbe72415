; General words (docs/pointing.md) for the node types of tree-sitter-toml-ng 0.7.0.

(pair) @property
(array [(string) (integer) (float) (boolean) (offset_date_time) (local_date_time) (local_date)
        (local_time) (array) (inline_table)] @element)
(string) @string
(comment) @comment
[(array) (inline_table)] @list
[(table) (table_array_element)] @section
[(table) (table_array_element) (inline_table)] @block
[(string) (integer) (float) (boolean) (offset_date_time) (local_date_time) (local_date)
 (local_time) (array) (inline_table)] @expression
(pair [(bare_key) (quoted_key) (dotted_key)] @key)
(table [(bare_key) (quoted_key) (dotted_key)] @key)
(table_array_element [(bare_key) (quoted_key) (dotted_key)] @key)

; @value: the value of a pair, which content without a key replaces.
(pair [(string) (integer) (float) (boolean) (offset_date_time) (local_date_time) (local_date)
  (local_time) (array) (inline_table)] @value)
