; The symbols of a component are the elements with an id and the headings, as in HTML, and those of its scripts.
; @listed: the symbols of the code in such a node are symbols of the file.

(script_element (raw_text) @listed)
