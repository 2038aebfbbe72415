def k():
    y = 1
# odd
    z = 1
