; Bodies: where the inside of a node is, into which first_child and last_child insert. Members are
; "prose": of words that touch none is parted from the other, and of those apart none is joined. What
; is in a @frame is no member; @words are what prose is made of.

; An element without an end tag has no inside.
((element (STag)) @body (#set! members "prose"))
(document) @body
(doctypedecl) @body
([(STag) (EmptyElemTag)] @body (#set! opens "inline"))

(element [(STag) (ETag) (EmptyElemTag)] @frame)
(STag (Name) @frame)
(EmptyElemTag (Name) @frame)
(doctypedecl [(Name) (ExternalID)] @frame)

; The grammar puts what is in an element into a node of its own, which is nothing to a person, and so
; with what stands before the root.
(content) @transparent
(prolog) @transparent

[(CharData) (EntityRef) (CharRef)] @words
[(XMLDecl) (doctypedecl)] @head
