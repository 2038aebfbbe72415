; Whose lines keep their bytes when text is re-indented, and inside which every blank counts.

[(comment) (js_comment) (string_value)] @protected
