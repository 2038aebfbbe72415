; Bodies of JSX: the body of an element is the content between its tags, and the body of a tag is its
; attributes; a self-closing element has none. Members are "prose": an edit neither separates adjacent words
; nor joins separate ones. A @frame is a child that is not a member; @words are text in prose.

((jsx_element) @body (#set! members "prose"))
((jsx_opening_element) @body (#set! opens "inline"))

(jsx_element [(jsx_opening_element) (jsx_closing_element)] @frame)
(jsx_opening_element name: (_) @frame)
(jsx_self_closing_element name: (_) @frame)

[(jsx_text) (html_character_reference)] @words
