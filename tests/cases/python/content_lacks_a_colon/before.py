def first(values):
    if values:
        return values[0]
    return None
