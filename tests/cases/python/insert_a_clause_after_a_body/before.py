def read(text):
    try:
        value = int(text)
    except TypeError:
        value = 0
    if value > 2:
        value = 2
    return value
