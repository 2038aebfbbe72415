class A:
    @property
    def x(self):  # behind
        """Doc
      odd
        """
        return f(1)

class B: z = 1

def g(): return 2
