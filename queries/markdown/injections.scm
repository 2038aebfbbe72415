; Which nodes hold another language.

(inline (#set! injection.language "markdown_inline")) @injection.content
(pipe_table_cell (#set! injection.language "markdown_inline")) @injection.content
