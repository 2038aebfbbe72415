class Tool:
    def main(self):
        if self.ready:
            self.run()
