class TestEmpty:
    def test_empty(self):
        r = get(url)
        for line in r:
            check(line)

    def test_next(self):
        pass
