class A:
    def one(self):
        """One.

        More of one.
        """
        return 1

    def two(self):
        return 2
