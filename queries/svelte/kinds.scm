; General words (docs/pointing.md) for the node types of tree-sitter-svelte-ng 1.0.2 that HTML does not have.

[(await_statement) (each_statement) (if_statement) (key_statement) (snippet_statement)] @statement
(snippet_statement) @function
[(await_statement) (catch_block) (each_statement) (else_block) (else_if_block) (if_statement) (key_statement)
 (snippet_statement) (then_block)] @block
