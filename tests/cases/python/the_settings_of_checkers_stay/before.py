#!/usr/bin/env python3
# Copyright 2024 The Shop Authors

# mypy: ignore-errors
# Opens the shop.
def first():
    pass


def second():
    pass
