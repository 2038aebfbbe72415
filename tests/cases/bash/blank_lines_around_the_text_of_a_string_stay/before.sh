x="

 a

"
