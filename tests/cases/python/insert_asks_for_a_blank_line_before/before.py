class A:
    def one(self):
        return 1

    @property
    def two(self):
        return 2

    x = 1
    y = 2
