; What travels with a node. @attached.<kind>: kinds are told apart when new content brings its own.
; A doc touches what it belongs to, or stands behind it in its line: `int x; /**< doc */`.

((comment) @attached.doc (#starts-with? @attached.doc "/**" "/*!" "///" "//!")
  (#set! touching "lines"))
