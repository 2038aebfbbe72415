"""The desk, where things are lent and given back."""

from datetime import date

from toolshed.errors import AlreadyLent, NotFound
from toolshed.fees import FeePolicy, total_fees
from toolshed.models import Loan, Member
from toolshed.store import Journal, Store


class Desk:
    """Lends items of a store and takes them back."""

    def __init__(self, store: Store, policy: FeePolicy, journal: Journal) -> None:
        self.store = store
        self.policy = policy
        self.journal = journal
        self.loans: dict[str, Loan] = {}

    def lend(self, item_name: str, member_name: str, today: date) -> Loan:
        """Hands an item to a member."""
        if item_name in self.loans:
            raise AlreadyLent(item_name)
        item = self.store.find_item(item_name)
        member = self.store.find_member(member_name)
        loan = Loan(item, member, today)
        self.loans[item_name] = loan
        member.loans.append(loan)
        self.journal.write("lend", item=item_name, member=member_name)
        return loan

    def take_back(self, item_name: str, today: date) -> int:
        """Takes an item back and answers the fee."""
        loan = self.loans.pop(item_name, None)
        if loan is None:
            raise NotFound("loan", item_name)
        loan.close()
        self.journal.write("take back", item=item_name)
        return self.policy.fee(loan, today)

    def balance(self, member: Member, today: date) -> int:
        """What a member would pay if everything came back today."""
        return total_fees(member.open_loans(), self.policy, today)

    def shut(self) -> None:
        """Ends the day."""
        self.journal.close()
