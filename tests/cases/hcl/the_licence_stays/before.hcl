# Copyright 2024 The Shop Authors
a = 1
b = 2
