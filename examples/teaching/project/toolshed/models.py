"""The things that the desk works with."""

from dataclasses import dataclass, field
from datetime import date, timedelta

LOAN_DAYS = 14


@dataclass
class Item:
    """Something that can be lent."""

    name: str
    value: int

    def label(self) -> str:
        """The text of the sticker on the item."""
        return self.name.title()


@dataclass
class Book(Item):
    """An item with an author."""

    author: str = "unknown"

    def label(self) -> str:
        return f"{super().label()} by {self.author}"


@dataclass
class Tool(Item):
    """An item that may need a deposit."""

    deposit: int = 0

    def label(self) -> str:
        if self.deposit:
            return f"{super().label()} (deposit {self.deposit})"
        return super().label()


@dataclass
class Member:
    """Somebody who may lend."""

    name: str
    email: str
    loans: list["Loan"] = field(default_factory=list)

    def open_loans(self) -> list["Loan"]:
        """The loans that have not been closed."""
        return [loan for loan in self.loans if not loan.closed]


@dataclass
class Loan:
    """An item in the hands of a member."""

    item: Item
    member: Member
    start: date
    closed: bool = False

    @property
    def due(self) -> date:
        """The last day on which nothing has to be paid."""
        return self.start + timedelta(days=LOAN_DAYS)

    def days_late(self, today: date) -> int:
        """How many days have passed since the loan was due."""
        return max(0, (today - self.due).days)

    def close(self) -> None:
        """Marks the item as given back."""
        self.closed = True
