; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.
; An inline table has no trailing comma, because most parsers accept none.

((array) @list (#set! trailing "lines"))
(inline_table) @list
