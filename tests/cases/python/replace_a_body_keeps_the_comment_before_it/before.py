def f():
    # keep me
    a = 1
    return a
