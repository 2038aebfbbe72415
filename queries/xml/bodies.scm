; Bodies: the part of a node into which first_child and last_child insert. Members are "prose": an edit
; neither separates adjacent words nor joins separate ones. A @frame is a child that is not a member; @words
; are text in prose.

; An element without an end tag has no body.
((element (STag)) @body (#set! members "prose"))
(document) @body
(doctypedecl) @body
([(STag) (EmptyElemTag)] @body (#set! opens "inline"))

(element [(STag) (ETag) (EmptyElemTag)] @frame)
(STag (Name) @frame)
(EmptyElemTag (Name) @frame)
(doctypedecl [(Name) (ExternalID)] @frame)

; @transparent: the children of such a node count as children of its parent. The grammar puts the content of
; an element, and the nodes before the root element, into such nodes.
(content) @transparent
(prolog) @transparent

[(CharData) (EntityRef) (CharRef)] @words
[(XMLDecl) (doctypedecl)] @head
