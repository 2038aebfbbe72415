; Names of things: what has an id or a name goes by it, what holds other elements by the name of its tag.

((element (STag (Attribute (Name) @_key (AttValue) @name))) @definition.element
  (#any-of? @_key "id" "xml:id" "name" "ID" "Name" "x:Name" "android:id" "android:name"))
((element (EmptyElemTag (Attribute (Name) @_key (AttValue) @name))) @definition.element
  (#any-of? @_key "id" "xml:id" "name" "ID" "Name" "x:Name" "android:id" "android:name"))
(element (STag (Name) @name) (content (element))) @definition.element
