def f(x):
    # debug
    print(x)
    # result
    print(x + 1)
    y = x
    # DEBUG: more
    print(
        y,
    )
    return y
