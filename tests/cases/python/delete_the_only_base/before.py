class A(B):
    pass
