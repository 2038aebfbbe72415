; Names of things: a key names its pair. An anchor or a tag before the key is no part of the name,
; and items of a sequence have none: the keys in them stand below the key of the sequence.

(block_mapping_pair key: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar) (alias)] @name)) @definition.key
(block_mapping_pair key: (_) @name) @definition.key
(flow_pair key: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar) (alias)] @name)) @definition.key
(flow_pair key: (_) @name) @definition.key

; Below these the grammar has no definition.
[(double_quote_scalar) (plain_scalar) (single_quote_scalar)] @closed
