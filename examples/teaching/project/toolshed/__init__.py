"""A shed of tools and books that neighbours lend each other."""

from toolshed.desk import Desk
from toolshed.models import Book, Item, Loan, Member, Tool

__all__ = ["Book", "Desk", "Item", "Loan", "Member", "Tool"]
