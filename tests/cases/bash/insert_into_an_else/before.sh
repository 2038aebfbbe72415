#!/bin/bash
# Says hello, and sometimes more.
set -e

NAMES=(ann "bob, x")
export LEVEL=1 MODE=fast
readonly DIR=$(cd "$(dirname "$0")"; pwd)

# Says hello to $1.
function hello {
  local name="$1"  # not hello
  echo "hello
    $name" | tr a b | sort
}

bye() { echo bye; exit 0; }

usage() (
  cat <<EOF
usage: $0 [-h]
    hello
EOF
)

case "$1" in
  start|run)
    hello "$2"
    ;;
  (stop) bye ;;
  -h|*)
    usage
esac

if [ -z "$2" ]; then
  hello "$1"
elif test -f "$2"; then
  hello < "$2" || bye
else
  while read -r line; do
    hello "$line" &
  done
fi

for i in 1 2; do echo "$i"; done
for ((i = 0; i < 3; i++)); do echo "$i"; done
diff <(echo a; echo b) $'c\n' ; T=$"d"
! grep -q x 'y' && unset NAMES
echo
{ hello a; bye; } 2>&1
A=1 B=2
docker run \
  --rm \
  -v a:b \
  image
