; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; An empty list that gets a member is formatted like the list that contains it ("around").

([(array) (object)] @list (#set! opens "around"))
