; What travels with a node. The grammar lets a pair end with the comment behind it in its line, and
; a table with all comments up to the next header: as people read it, the one stands behind the
; pair, and of the others those right above the header belong to it.

((comment) @loose (#set! begins "#"))
