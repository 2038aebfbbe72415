; Bodies of JSX: the inside of an element is what stands between its tags, and that of a tag its
; attributes; an element that closes itself has none. Members are "prose", as in HTML: of words that
; touch none is parted from the other, and of those apart none is joined. What is in a @frame is no
; member; @words are what prose is made of.

((jsx_element) @body (#set! members "prose"))
((jsx_opening_element) @body (#set! opens "inline"))

(jsx_element [(jsx_opening_element) (jsx_closing_element)] @frame)
(jsx_opening_element name: (_) @frame)
(jsx_self_closing_element name: (_) @frame)

[(jsx_text) (html_character_reference)] @words
