class Till:
    def __init__(self):
        self.open = True

        #: Whether it counts what goes in
        self.counts = True
