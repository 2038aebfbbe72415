; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; When an empty list gets a member, it is laid out like the list that it is a member of ("around").

([(array) (object)] @list (#set! opens "around"))
