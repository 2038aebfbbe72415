; Nodes that contain another language.

(inline (#set! injection.language "markdown_inline")) @injection.content
(pipe_table_cell (#set! injection.language "markdown_inline")) @injection.content

; A fence that starts with the prompt of an interpreter or shell is a session, not a program.
((fenced_code_block (code_fence_content) @injection.none)
  (#match? @injection.none "^\\s*(?:>>>(?:\\s|$)|\\$ |In \\[[0-9]+\\]: |(?:julia|iex|irb|ghci|scala|jshell)(?:\\([^)]*\\))?(?::[0-9]+)*[>*] )"))

; A code fence contains the language that its first line names.
(fenced_code_block (info_string (language) @injection.language)
  (code_fence_content) @injection.content)

; Front matter: the lines that enclose it start and end a YAML document.
(minus_metadata (#set! injection.language "yaml")) @injection.content
