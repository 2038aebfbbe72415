import re


def report(user: User) -> str:
    return dumps(user.orders)
