def f():
    # old
    a = 1
    return a
