; Names of things: a heading, by its text. It reaches up to the next heading of its level or a
; higher one (#set! level); the grammar's sections know the `#` headings only and bound none.

(section (atx_heading (atx_h1_marker) heading_content: (_) @name) (#set! level "1")) @definition.heading
(section (atx_heading (atx_h2_marker) heading_content: (_) @name) (#set! level "2")) @definition.heading
(section (atx_heading (atx_h3_marker) heading_content: (_) @name) (#set! level "3")) @definition.heading
(section (atx_heading (atx_h4_marker) heading_content: (_) @name) (#set! level "4")) @definition.heading
(section (atx_heading (atx_h5_marker) heading_content: (_) @name) (#set! level "5")) @definition.heading
(section (atx_heading (atx_h6_marker) heading_content: (_) @name) (#set! level "6")) @definition.heading

(setext_heading heading_content: (paragraph (inline) @name) (setext_h1_underline) (#set! level "1")) @definition.heading
(setext_heading heading_content: (paragraph (inline) @name) (setext_h2_underline) (#set! level "2")) @definition.heading

(section) @section
