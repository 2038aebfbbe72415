; The symbols of a component are the elements with an id and the headings, as in HTML, its snippets, and those of its
; scripts. @listed: the symbols of the code in such a node are symbols of the file.

(script_element (raw_text) @listed)
(snippet_statement (snippet_start (snippet_name) @name)) @definition.function
