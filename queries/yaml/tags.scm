; Definitions and their names: a key names its pair. An anchor or a tag before the key is not part of the
; name. Items of a sequence have no name: the keys in them nest under the key of the sequence.

(block_mapping_pair key: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar) (alias)] @name)) @definition.key
(block_mapping_pair key: (_) @name) @definition.key
(flow_pair key: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar) (alias)] @name)) @definition.key
(flow_pair key: (_) @name) @definition.key

; These nodes contain no definition.
[(double_quote_scalar) (plain_scalar) (single_quote_scalar)] @closed
