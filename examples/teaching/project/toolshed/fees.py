"""What a late return costs, in cents."""

from abc import ABC, abstractmethod
from datetime import date

from toolshed.models import Loan


class FeePolicy(ABC):
    """A rule for the price of a late return."""

    @abstractmethod
    def fee(self, loan: Loan, today: date) -> int:
        """The fee of one loan."""


class DailyFee(FeePolicy):
    """The same amount for every late day."""

    def __init__(self, cents: int) -> None:
        self.cents = cents

    def fee(self, loan: Loan, today: date) -> int:
        return self.cents * loan.days_late(today)


class CappedFee(DailyFee):
    """As `DailyFee`, but never more than the item is worth."""

    def fee(self, loan: Loan, today: date) -> int:
        return min(super().fee(loan, today), loan.item.value)


def total_fees(loans: list[Loan], policy: FeePolicy, today: date) -> int:
    """The sum of the fees of several loans."""
    return sum(policy.fee(loan, today) for loan in loans)


def format_cents(cents: int) -> str:
    """Writes 1250 as `12.50`."""
    return f"{cents // 100}.{cents % 100:02}"
