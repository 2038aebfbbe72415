; Whose lines keep their bytes when text is re-indented, and inside which every blank counts.

[(comment) (quoted_attribute_value)] @protected
((element (start_tag (tag_name) @_tag)) @protected
  (#any-of? @_tag "pre" "textarea" "listing" "xmp" "PRE" "TEXTAREA"))
