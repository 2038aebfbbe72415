; General words (docs/pointing.md) for the node types of tree-sitter-xml 0.7.0.

(element) @element
[(Attribute) (PseudoAtt)] @property
[(AttValue) (PseudoAttValue) (EntityValue) (SystemLiteral) (PubidLiteral)] @string
(Comment) @comment
[(Attribute) (PseudoAtt)] @attribute
