result = plus(times(a, 2), times(plus(b, 1), c))
result = [plus(1, 2), other(times(3, 4))]
result = 5
