"""What a guest pays."""

from prices import price


def total(names: list[str]) -> float:
    return sum(price(name) for name in names)


FIRST = ("größer als ☕ 𝒙", price("tea"))
WRONG: str = total(["cake"])
