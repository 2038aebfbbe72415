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

