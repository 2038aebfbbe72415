A=()
echo "$A"
