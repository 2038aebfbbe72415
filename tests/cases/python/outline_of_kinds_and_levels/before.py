class Shop:
    name = "x"

    def open(self):
        def inner():
            pass

    def close(self):
        pass

    def count(self):
        pass


def main():
    pass
