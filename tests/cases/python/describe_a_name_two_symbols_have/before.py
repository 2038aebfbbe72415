class Cart:
    def __init__(self, items):
        self.items = items

    def total(self, rate):
        sum = 0
        for item in self.items:
            sum += item.price * rate
        return sum

    def count(self):
        sum = 0
        for item in self.items:
            sum += 1
        return sum


def total(cart):
    return cart.total(1)
