; Nodes that contain another language.

(inline (#set! injection.language "markdown_inline")) @injection.content
(pipe_table_cell (#set! injection.language "markdown_inline")) @injection.content

; A code fence contains the language that its first line names.
(fenced_code_block (info_string (language) @injection.language)
  (code_fence_content) @injection.content)
