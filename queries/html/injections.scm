; Which nodes hold another language: a script that of its type, JavaScript if it says none, nothing
; if it is not known (`text/x-template`); a style CSS.

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
