; Definitions and their names: a heading has its text as its name. It ends before the next heading of the same
; or a higher level (#set! level). The sections of the grammar end only at `#` headings, so they do not bound
; it (@section).

(section (atx_heading (atx_h1_marker) heading_content: (_) @name) (#set! level "1")) @definition.heading
(section (atx_heading (atx_h2_marker) heading_content: (_) @name) (#set! level "2")) @definition.heading
(section (atx_heading (atx_h3_marker) heading_content: (_) @name) (#set! level "3")) @definition.heading
(section (atx_heading (atx_h4_marker) heading_content: (_) @name) (#set! level "4")) @definition.heading
(section (atx_heading (atx_h5_marker) heading_content: (_) @name) (#set! level "5")) @definition.heading
(section (atx_heading (atx_h6_marker) heading_content: (_) @name) (#set! level "6")) @definition.heading

(setext_heading heading_content: (paragraph (inline) @name) (setext_h1_underline) (#set! level "1")) @definition.heading
(setext_heading heading_content: (paragraph (inline) @name) (setext_h2_underline) (#set! level "2")) @definition.heading

(section) @section

; They contain no headings.
[(atx_heading) (fenced_code_block) (html_block) (indented_code_block) (link_reference_definition) (minus_metadata)
  (paragraph) (pipe_table) (plus_metadata) (setext_heading) (thematic_break)] @closed
