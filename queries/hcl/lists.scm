; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; For the settings, see rust/lists.scm. Members of an object that are on their own lines need no comma: they
; have one if the others do.

(function_arguments) @list
(tuple) @list
((object) @list (#set! optional "lines"))
; The `...` that expands the last argument stays after it.
(function_arguments (ellipsis) @frame)
(tuple [(tuple_start) (tuple_end)] @frame)
(object [(object_start) (object_end)] @frame)
