# Checks that the license of a user has not expired. Decoding: turns bytes into text.
def check(user):
    return user.license


def other(user):
    return user
