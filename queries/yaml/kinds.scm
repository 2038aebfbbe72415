; General words (docs/pointing.md) for the node types of tree-sitter-yaml 0.7.2.

[(block_mapping_pair) (flow_pair)] @property
(block_sequence_item) @item
(block_sequence_item) @element
(flow_sequence [(flow_node) (flow_pair)] @element)
[(double_quote_scalar) (single_quote_scalar) (block_scalar) (string_scalar)] @string
(comment) @comment
[(block_sequence) (flow_sequence) (flow_mapping)] @list
[(block_mapping) (block_sequence) (flow_mapping) (flow_sequence)] @block
[(block_node) (flow_node)] @expression
(block_mapping_pair key: (_) @key)
(flow_pair key: (_) @key)

; @value: the value of a pair, which content without a key replaces.
(block_mapping_pair value: (_) @value)
(flow_pair value: (_) @value)
