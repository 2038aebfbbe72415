#!/bin/bash
set -e

# Says hello.
hello() {
  cat <<END
  hello
 you
END
}

case "$1" in
  a)
    hello
    ;;
  b) bye ;;
esac
