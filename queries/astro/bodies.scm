; Bodies: the part of a node into which first_child and last_child insert. Members are "prose": an edit neither separates
; adjacent words nor joins separate ones. A @frame is a child that is not a member; @words are text in prose.

; A void element has no body: it contains only its tag.
((element [(end_tag) (text) (element) (html_interpolation) (script_element) (style_element)]) @body
  (#set! members "prose"))
; @void: the grammar may put the following text into such an element.
((element (start_tag (tag_name) @_tag)) @void
  (#any-of? @_tag "area" "base" "br" "col" "embed" "hr" "img" "input" "link" "meta" "param" "source"
    "track" "wbr"))
((document) @body (#set! members "prose"))
[(raw_text) (frontmatter_js_block)] @body
([(start_tag) (self_closing_tag)] @body (#set! opens "inline"))

(element [(start_tag) (end_tag) (self_closing_tag)] @frame)
(script_element [(start_tag) (end_tag) (self_closing_tag)] @frame)
(style_element [(start_tag) (end_tag) (self_closing_tag)] @frame)
(start_tag (tag_name) @frame)
(self_closing_tag (tag_name) @frame)

[(text) (permissible_text)] @words
[(doctype) (frontmatter)] @head

; @mistake: a node that the grammar uses for wrong code.
(erroneous_end_tag) @mistake
