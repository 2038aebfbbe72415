-- Copyright 2024 The Shop Authors
first :: Int
first = 1

second :: Int
second = 2
