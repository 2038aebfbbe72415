; Nodes that contain another language. The script at the head and the scripts of a page are TypeScript, unless a script has
; another type. A style contains CSS, unless it has another language.

((frontmatter_js_block) @injection.content (#set! injection.language "typescript"))
((script_element
    (start_tag (attribute (attribute_name) @_type (quoted_attribute_value (attribute_value) @injection.language)))
    (raw_text) @injection.content)
  (#any-of? @_type "type" "lang"))
((script_element (raw_text) @injection.content) (#set! injection.language "typescript"))

((style_element
    (start_tag (attribute (attribute_name) @_type (quoted_attribute_value (attribute_value) @injection.language)))
    (raw_text) @injection.content)
  (#any-of? @_type "type" "lang"))
((style_element (raw_text) @injection.content) (#set! injection.language "css"))
