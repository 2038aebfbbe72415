; Bodies: where the inside of a node is, into which first_child and last_child insert. Members are
; "prose": of words that touch none is parted from the other, and of those apart none is joined. What
; is in a @frame is no member; @words are what prose is made of.

; A void element has no inside: nothing but its tag.
((element [(end_tag) (text) (entity) (element) (script_element) (style_element)]) @body
  (#set! members "prose"))
; The grammar lets it have the text that follows it.
((element (start_tag (tag_name) @_tag)) @void
  (#any-of? @_tag "area" "base" "br" "col" "embed" "hr" "img" "input" "link" "meta" "param" "source"
    "track" "wbr" "BR" "HR" "IMG" "INPUT" "LINK" "META"))
((document) @body (#set! members "prose"))
(raw_text) @body
([(start_tag) (self_closing_tag)] @body (#set! opens "inline"))

(element [(start_tag) (end_tag) (self_closing_tag)] @frame)
(script_element [(start_tag) (end_tag)] @frame)
(style_element [(start_tag) (end_tag)] @frame)
(start_tag (tag_name) @frame)
(self_closing_tag (tag_name) @frame)

[(text) (entity)] @words
(doctype) @head
