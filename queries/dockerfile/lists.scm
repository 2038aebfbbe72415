; Lists: the separators between members belong to the list. An insertion adds them, a deletion removes them.

(json_string_array) @list
