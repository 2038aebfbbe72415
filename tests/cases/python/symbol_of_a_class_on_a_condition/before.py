import sys


class Files:
    root = "/"
    if sys.platform == "win32":
        separator = ";"
    else:
        separator = ":"


if sys.platform == "darwin":
    opener = "open"
elif sys.platform == "win32":
    launcher = "start"
