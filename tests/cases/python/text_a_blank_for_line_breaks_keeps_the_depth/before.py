def decode(string):
    if is_native(string):
        out = string
    else:
        if is_py2:
            out = string.encode()
        else:
            out = string.decode()

    return out
