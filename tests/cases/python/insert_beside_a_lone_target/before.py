def halves(text):
    first, = text.split(",")
    return first
