; Text whose lines keep their bytes when code is re-indented: an expression may contain a template literal.

[(attribute_backtick_string) (attribute_interpolation) (permissible_text)] @protected
