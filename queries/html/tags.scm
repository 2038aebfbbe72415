; Names of things: what has an id goes by it, as in the outline of editors and in ctags, and is what
; links and scripts point to; a heading goes by its first words, or by
; those of the link or other markup in it where it has none of its own.

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

; Below these the grammar has no definition.
[(end_tag) (self_closing_tag) (start_tag)] @closed
