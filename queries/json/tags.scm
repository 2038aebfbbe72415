; Definitions and their names: a key names its pair; the name starts at the opening quote.

(pair key: (_) @name) @definition.key

; These nodes contain no definition.
(string) @closed
