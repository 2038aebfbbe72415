; Definitions and their names: an element with an id has that as its name, as in editor outlines and ctags;
; links and scripts refer to it. A heading has its first text as its name, or that of the link or other markup
; in it if it has no text of its own.

((element (start_tag (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name))))
  @definition.element (#any-of? @_id "id" "ID"))
((element (self_closing_tag (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name))))
  @definition.element (#any-of? @_id "id" "ID"))
((script_element (start_tag (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name))))
  @definition.element (#any-of? @_id "id" "ID"))
((style_element (start_tag (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name))))
  @definition.element (#any-of? @_id "id" "ID"))
((element (start_tag (attribute (attribute_name) @_id (attribute_value) @name)))
  @definition.element (#any-of? @_id "id" "ID"))
((element (start_tag (tag_name) @_tag) (text) @name) @definition.heading
  (#any-of? @_tag "h1" "h2" "h3" "h4" "h5" "h6" "H1" "H2" "H3" "H4" "H5" "H6"))
((element (start_tag (tag_name) @_tag) (element (text) @name)) @definition.heading
  (#any-of? @_tag "h1" "h2" "h3" "h4" "h5" "h6" "H1" "H2" "H3" "H4" "H5" "H6"))

; These nodes contain no definition.
[(end_tag) (self_closing_tag) (start_tag)] @closed
