; The symbols of a component or a page are the elements with an id and the headings, as in HTML, and those of its scripts,
; in Astro also of the script at the head. @listed: the symbols of the code in such a node are symbols of the file.

(frontmatter_js_block) @listed
(script_element (raw_text) @listed)
