"""Where items and members are kept."""

import json
from pathlib import Path
from typing import Protocol

from toolshed.errors import NotFound
from toolshed.models import Item, Member


class Store(Protocol):
    """What the desk needs of a place to keep things."""

    def add_item(self, item: Item) -> None: ...

    def find_item(self, name: str) -> Item: ...

    def add_member(self, member: Member) -> None: ...

    def find_member(self, name: str) -> Member: ...


class MemoryStore:
    """Keeps everything in two dictionaries."""

    def __init__(self) -> None:
        self.items: dict[str, Item] = {}
        self.members: dict[str, Member] = {}

    def add_item(self, item: Item) -> None:
        self.items[item.name] = item

    def find_item(self, name: str) -> Item:
        if name not in self.items:
            raise NotFound("item", name)
        return self.items[name]

    def add_member(self, member: Member) -> None:
        self.members[member.name] = member

    def find_member(self, name: str) -> Member:
        if name not in self.members:
            raise NotFound("member", name)
        return self.members[name]


class Journal:
    """A file with a line for everything that happened."""

    def __init__(self, path: Path) -> None:
        self.file = path.open("a", encoding="utf-8")

    def write(self, event: str, **details: str) -> None:
        """Adds a line."""
        self.file.write(json.dumps({"event": event, **details}) + "\n")

    def close(self) -> None:
        """Gives the file back to the system."""
        self.file.close()
