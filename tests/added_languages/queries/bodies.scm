; Where content is inserted.

((source_file) @body (#set! spacing "tall"))
(block) @body
(function_definition body: (_) @body)
