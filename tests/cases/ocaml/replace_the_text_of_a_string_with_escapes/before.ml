let x = "
 a\n
 b
"
