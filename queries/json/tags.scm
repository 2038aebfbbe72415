; Names of things: a key names its pair; the declared name starts at the opening quote.

(pair key: (_) @name) @definition.key

; Below these the grammar has no definition.
(string) @closed
