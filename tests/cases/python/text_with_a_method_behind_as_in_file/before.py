class A:
    def __init__(self):
        self.stop = Event()

    def run(self):
        pass
