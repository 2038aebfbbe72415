; General words (docs/pointing.md) for the node types of JSX.

[(jsx_element) (jsx_self_closing_element)] @element
[(jsx_element) (jsx_self_closing_element)] @expression
(jsx_attribute) @property
(jsx_attribute) @attribute
