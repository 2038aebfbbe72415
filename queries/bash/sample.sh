#!/usr/bin/env bash
# Takes the orders of a small shop from the shelf to the post.
set -euo pipefail
shopt -s extglob

readonly SHOP="The Tea Corner"
declare -A prices=([tea]=450 [cup]=1200 [pot]=3995)
export LANG=C.UTF-8 TAX=19
orders=()
folder=${1:-"$HOME/orders"}
greeting=$"Welcome"
tab=$'\t'
first=tea second=cup

# Writes a line of the report.
say() {
  local line="$1"
  printf '%s\n' "$line" >&2
}

function total {
  local sum=0 name
  for name in "$@"; do
    ((sum += prices[$name]))
  done
  echo $((sum * (100 + TAX) / 100))
}

shipping() {
  local weight=$1
  if [ "$weight" -le 500 ]; then
    echo 390
  elif [[ $weight -gt 500 && ! -f "$folder/abroad" ]]; then
    echo 490
  else
    echo $((weight > 2000 ? 990 : 690))
  fi
}

describe() {
  case "$1" in
    cash | coins)
      echo "paid in cash"
      ;;
    card-[0-9]*)
      echo "paid by card"
      ;;
    +(voucher|gift))
      echo "paid by voucher"
      ;;
    *)
      echo "not paid"
      ;;
  esac
}

restock() {
  local place
  for ((place = 0; place < 10; place++)); do
    touch "shelf-$place"
  done
  for place in {1..9}; do
    cp "shelf-0" "shelf-${place}.bak" 2>/dev/null
  done
}

number_of() {
  if [[ $1 =~ ^order-([0-9]+)$ ]]; then
    echo "${BASH_REMATCH[1]}"
  fi
}

print_slip() {
  cat <<SLIP
$SHOP

Order ${1#order-} of $(date +%F)
Every cup is a small break.
SLIP
  cat <<-'END' >>"$folder/slips.txt"
	No prices here.
	END
}

while read -r order _; do
  orders+=("$order")
done < <(ls "$folder")

until [[ -d $folder ]]; do
  mkdir -p "$folder" || exit 1
done

count=${#orders[@]}
if ((count == 0)) && ! grep -q order "$folder"/*.txt; then
  say "$greeting$tab no orders for $first or $second"
  exit 0
fi

for order in "${orders[@]}"; do
  print_slip "$order" | tee slip.txt
  (cd "$folder" && total tea cup)
  tr a-z A-Z <<<"${order%.txt}"
  ((-count))
  ((count--))
done

{
  say "sent: $? of $#"
  say "weekdays: ${first/tea/coffee}"
} >log.txt 2>&1

unset first second
