"""A day at the shed."""

from datetime import date
from pathlib import Path

from toolshed import Book, Desk, Member, Tool
from toolshed.errors import ShedError
from toolshed.fees import CappedFee, format_cents
from toolshed.report import reminder, summary
from toolshed.store import Journal, MemoryStore


def open_desk(path: Path) -> Desk:
    """A desk with two items and one member."""
    store = MemoryStore()
    store.add_item(Book("gardening", 1500, author="A. Green"))
    store.add_item(Tool("ladder", 4000, deposit=500))
    store.add_member(Member("Ada", "ada@example.org"))
    return Desk(store, CappedFee(25), Journal(path))


def main() -> None:
    desk = open_desk(Path("journal.jsonl"))
    try:
        desk.lend("ladder", "Ada", date(2026, 3, 2))
        print(summary(desk, date(2026, 3, 20)))
        print(reminder(desk, desk.store.find_member("Ada"), date(2026, 3, 20)))
        print(format_cents(desk.take_back("ladder", date(2026, 3, 20))))
    except ShedError as error:
        print(error)
    finally:
        desk.shut()


if __name__ == "__main__":
    main()
