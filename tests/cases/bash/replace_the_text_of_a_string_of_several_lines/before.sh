x="
 a
"
