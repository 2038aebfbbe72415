import numpy
type Pair[T] = tuple[T, T]
type Name = str
if TYPE_CHECKING:
    A: type = int
else:
    A = str
try:
    import fast
    FAST = True
except (ImportError, OSError) as e:
    FAST = False
else:
    log()
finally:
    done()
__all__ = ["a", "b"]


class Color(Enum):
    RED = 1
    GREEN = 2


class Box[T, U]:
    pass


def use(p: str, *, q=dict(k=[1], v={2: [3]})):
    global x, y
    print(sum(i for i in (1, 2)))
    with open(p) as f, open(q) as g:
        match f.read(), g:
            case [1, *rest] | (1, 2) if rest:
                pass
            case {"a": 1, **more}:
                pass
            case Point(x=0, y=1):
                pass
            case _:
                pass
    for a, b in pairs:
        d[a, b] = {1, 2}, (1, 2), {"k": 1, **more}
    else:
        nothing()
    while True:
        f = lambda i, *j, **k: i + sum(j)
        if f: continue
        break
    else:
        nothing()
    assert (m := 1), f"{x!r:>{w}} and {y}"
    raise KeyError("a" "b") from None


def outer():
    def inner():
        nonlocal x, y
        yield 1
    return [i for i in range(3)]
