; An element may use a name that it does not contain (queries/imports.toml).
[(jsx_opening_element) (jsx_self_closing_element)] @implicit
