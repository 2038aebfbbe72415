low, high = limits()
first, *rest = names()


class Grid:
    width, height = 3, 4
