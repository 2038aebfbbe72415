; Text whose lines keep their bytes.

(string) @protected
((comment) @protected (#set! lines "together"))
