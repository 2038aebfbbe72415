#!/usr/bin/env bash
# What a guest pays.
source ./prices.sh

total() {
    echo $(($(price tea) + $(price cake)))
}

echo "größer als ☕ 𝒙" "$(price tea)"
wrong="$(price cake)"
