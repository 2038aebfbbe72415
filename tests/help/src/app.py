from store import Store


def read(path):
    with open(path) as lines:
        return dict(line.split("=") for line in lines)


def main():
    values = read("values")
    # The first of them is what counts.
    store = Store(values)
    value = store.get("first")
    print("the value", value)
    return value
