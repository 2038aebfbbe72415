class Server:
    def start(self):
        self.ready = True


class Client:
    pass
