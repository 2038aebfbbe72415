; Text whose lines keep their bytes when code is re-indented: an expression may contain a template literal.

(svelte_raw_text) @protected
