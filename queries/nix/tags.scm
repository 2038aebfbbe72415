; Names of things: an attribute goes by its path as it is written (`services.shop.enable`), what is in
; it stands below it; so does what `let` names.

(binding attrpath: (_) @name expression: (function_expression)) @definition.function
(binding attrpath: (_) @name) @definition.attribute
