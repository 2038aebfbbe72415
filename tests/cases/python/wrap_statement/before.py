class Cart:
    """Holds items."""

    @property
    def total(self):
        # Sum.
        return sum(item.price for item in self.items)

    def add(self, item):
        self.items.append(item)
        log(item)


def helper():
    text = """
  raw
"""
    return text
