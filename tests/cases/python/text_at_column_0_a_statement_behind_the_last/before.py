class Digest:
    def header(self):
        A1 = one()
        A2 = two()

    def other(self):
        pass
