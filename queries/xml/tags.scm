; Definitions and their names: an element with an id or a name attribute has that as its name; an element that
; contains other elements has the name of its tag.

((element (STag (Attribute (Name) @_key (AttValue) @name))) @definition.element
  (#any-of? @_key "id" "xml:id" "name" "ID" "Name" "x:Name" "android:id" "android:name"))
((element (EmptyElemTag (Attribute (Name) @_key (AttValue) @name))) @definition.element
  (#any-of? @_key "id" "xml:id" "name" "ID" "Name" "x:Name" "android:id" "android:name"))
(element (STag (Name) @name) (content (element))) @definition.element
