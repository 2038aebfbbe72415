squares = list(map(lambda n: n * n, numbers))
names = list(
    map(lambda user: user.name, users),
)
pairs = list(map(f, numbers))


def nested():
    return list(map(lambda row: list(map(lambda cell: cell + 1, row)), rows))
