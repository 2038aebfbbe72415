; General words (docs/pointing.md) for the node types of the block grammar of tree-sitter-md 0.5.4.

[(atx_heading) (setext_heading)] @heading
(list_item) @item
(list_item) @element
(pipe_table) @table
[(pipe_table_header) (pipe_table_row)] @row
[(fenced_code_block) (indented_code_block)] @code_block
[(paragraph) (block_quote) (list) (fenced_code_block) (indented_code_block) (html_block) (pipe_table)] @block
