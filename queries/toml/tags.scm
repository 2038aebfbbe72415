; Definitions and their names: a key names its pair, a header its table. A dotted name is kept as it is
; written, so that `[dependencies.serde]` is found by the path dependencies, serde. The tables of an array
; (`[[bin]]`) share their path.

(table [(bare_key) (quoted_key) (dotted_key)] @name) @definition.table
(table_array_element [(bare_key) (quoted_key) (dotted_key)] @name) @definition.table
(pair [(bare_key) (quoted_key) (dotted_key)] @name) @definition.key

; These nodes contain no definition.
[(dotted_key) (quoted_key) (string)] @closed
