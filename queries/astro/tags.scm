; The symbols of a page are the elements with an id and the headings, as in HTML, and those of its script at the head and
; of its other scripts. @listed: the symbols of the code in such a node are symbols of the file.

(frontmatter_js_block) @listed
(script_element (raw_text) @listed)
