; Definitions and their names: an attribute has its path as it is written (`services.shop.enable`), and the
; attributes in its value nest under it. The same holds for the bindings of a `let`.

(binding attrpath: (_) @name expression: (function_expression)) @definition.function
(binding attrpath: (_) @name) @definition.attribute
