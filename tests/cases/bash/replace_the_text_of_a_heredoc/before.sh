cat <<E
a $b
c
E
