"""A small shop: products, carts and the orders that are made of them."""

from __future__ import annotations

import asyncio
import json as codec
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import *
from . import prices
from .stock import shelf as shelves

FREE_SHIPPING = 50.0
ORDERS = 0

type Cents = int
type Priced[T: Product] = dict[str, T] | list[T]
type Rule[*Amounts, **Options] = Callable[Options, tuple[*Amounts]]


class ShopError(Exception):
    pass


@dataclass(frozen=True)
class Product:
    """What is sold, and for how much."""

    name: str
    price: float = 0.0
    tags: list[str] | None = None
    size: Shelf[int].Size = None


class Cart[Item: Product]:
    limit: int = 20

    def __init__(self, *, note: str | None = None, gift=False):
        self.lines: dict[str, int] = {}
        self.note = note
        self._gift = gift

    @property
    def empty(self) -> bool:
        return not self.lines

    def add(self, product: Item, count: int = 1, /, **extras: object) -> None:
        if len(self.lines) >= self.limit:
            raise ShopError(f"no more than {self.limit} lines") from None
        elif count <= 0:
            count = -count
        else:
            extras |= {"at": prices.now()}
        assert count, "zero of something"
        self.lines[product.name] = self.lines.get(product.name, 0) + count

    def total(self, rate=1.0):
        listed = [prices.of(name) * count for name, count in self.lines.items()]
        return round(sum(listed) * rate, 2)

    def __str__(self) -> str:
        width = 12
        return f"{self.note!r:>{width}} {{cart}}\t{self.total():.2f}\n"


def numbers(first: int = 1) -> Iterator[int]:
    while True:
        yield first
        first += 1
        if first > 9_999:
            break
        continue


def count_order(*carts: Cart, **options: str) -> int:
    global ORDERS
    seen = 0

    def count() -> None:
        nonlocal seen
        seen += len(carts)

    count()
    ORDERS += seen
    return ORDERS


def describe(payment: object) -> str:
    match payment:
        case None:
            return "nothing"
        case True | False:
            return "a yes or no"
        case [first, *_]:
            return f"{first} and more"
        case (code, 2 + 3j):
            return str(code)
        case {"card": number, **rest} if number:
            return f"card {number} {rest}"
        case Product(name=name, price=-1.5):
            return name
        case int() as cents:
            return f"{cents} cents"
        case _:
            return "unknown"


def discounts(products: list[Product]) -> tuple[Product, ...]:
    cheapest, *others = sorted(products, key=lambda product: product.price)
    [first, second] = others[:2]
    by_name = {product.name: product for product in products}
    tags = {tag for product in products if product.tags for tag in product.tags}
    any_sale = any(price < 5 for price in [4, 5.5])
    first, second = second, first
    if (found := by_name.get("tea")) is not None and "green" in tags:
        del by_name["tea"]
    rule = cheapest if any_sale or found else first
    return (rule, *others)


def report(orders, path="orders.json"):
    header = "number" ", " "total"
    total = 1 + \
        2
    try:
        with open(path, "w") as file, shelves.lock():
            for (number, order) in enumerate(orders):
                file.write(codec.dumps({"number": number, **order}))
            else:
                print(header, total, sep=", ")
    except OSError as problem:
        print(problem)
    finally:
        print("done")


async def send(*orders):
    async with asyncio.TaskGroup() as group:
        for order in orders:
            group.create_task(post(order))
    try:
        await asyncio.sleep(0.5)
    except* ValueError as problems:
        print(problems.exceptions)


def post(order: Cart): ...


if __name__ == "__main__":
    # A cart with two kinds of things.
    cart = Cart(note="for \"you\"")
    for wanted in {"tea", "cup"}:
        cart.add(Product(wanted, 4.5), 2)
    asyncio.run(send(cart))
