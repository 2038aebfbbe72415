"""Texts for people: reminders and a daily summary."""

from datetime import date

from toolshed.desk import Desk
from toolshed.fees import format_cents, total_fees
from toolshed.models import Loan, Member


def late_loans(desk: Desk, today: date) -> list[Loan]:
    """The loans that are past their day, the latest first."""
    late = [loan for loan in desk.loans.values() if loan.days_late(today) > 0]
    return sorted(late, key=lambda loan: loan.days_late(today), reverse=True)


def reminder(desk: Desk, member: Member, today: date) -> str:
    """A letter to a member with open loans."""
    lines = [f"Dear {member.name},"]
    for loan in member.open_loans():
        lines.append(f"- {loan.item.label()}, due {loan.due}")
    lines.append(f"To pay: {format_cents(desk.balance(member, today))}")
    return "\n".join(lines)


def outstanding(desk: Desk, today: date) -> int:
    """The cents that all late loans would bring."""
    total = total_fees(late_loans(desk, today), desk.policy, today)
    return format_cents(total)


def summary(desk: Desk, today: date) -> str:
    """One line for the wall beside the desk."""
    late = late_loans(desk, today)
    return f"{len(desk.loans)} lent, {len(late)} late"
