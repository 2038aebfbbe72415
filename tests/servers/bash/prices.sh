#!/usr/bin/env bash
# What things cost.

# In cents, with all taxes.
price() {
    if [ "$1" = tea ]; then echo 250; else echo 400; fi
}
