; Lists: what sets their members apart belongs to the list; an insertion adds it, a deletion takes
; it out. Settings: see queries/rust/lists.scm. On lines of their own the members of an object need no
; comma, and have one if the others do.

(function_arguments) @list
(tuple) @list
((object) @list (#set! optional "lines"))
; What spreads the last argument stays behind it.
(function_arguments (ellipsis) @frame)
(tuple [(tuple_start) (tuple_end)] @frame)
(object [(object_start) (object_end)] @frame)
