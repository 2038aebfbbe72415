class Store:
    def __init__(self, values):
        self.values = values

    def get(self, key):
        return self.values.get(key)
