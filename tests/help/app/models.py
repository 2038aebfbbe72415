from dataclasses import dataclass


@dataclass
class Order:
    name: str


class User:
    orders: list[Order]
