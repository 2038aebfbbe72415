; Nodes that contain another language. A script contains the language of its type: JavaScript if it has no
; type, no language if the type is unknown (`text/x-template`). A style contains CSS.

((script_element
    (start_tag (attribute (attribute_name) @_type (quoted_attribute_value (attribute_value) @injection.language)))
    (raw_text) @injection.content)
  (#any-of? @_type "type" "lang"))
((script_element
    (start_tag (attribute (attribute_name) @_type (attribute_value) @injection.language))
    (raw_text) @injection.content)
  (#any-of? @_type "type" "lang"))
((script_element (raw_text) @injection.content) (#set! injection.language "javascript"))

((style_element
    (start_tag (attribute (attribute_name) @_type (quoted_attribute_value (attribute_value) @injection.language)))
    (raw_text) @injection.content)
  (#any-of? @_type "type" "lang"))
((style_element (raw_text) @injection.content) (#set! injection.language "css"))
