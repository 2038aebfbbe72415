from x
user y
