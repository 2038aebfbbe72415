def f(a):
    for x in a:
        try:
            pass
        except E:
            pass

        response = a
