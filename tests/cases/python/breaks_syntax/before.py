#!/usr/bin/env python3
"""A shop."""

from __future__ import annotations

import os, sys
from a.b import (
    one,
    two as deux,
)

LIMIT: int = 10  # at most
x, y = 1, 2


@register
# about g
@retry(times=3, on=(KeyError, ValueError))
async def g(a, /, b: int = 2, *args, c=None, **kw) -> str:
    """Doc of g.

    More.
    """
    # first
    if a: return 1; b = 2
    elif b:
        pass
        # after pass
    else:
        del x[0]
    return await b(a, *args, c=c)
    # end of g


class Shop(Base, metaclass=Meta):
    # what it is
    name = "shop"

    def open(self):
        return self.count(1)

    @property
    def size(self) -> int:
        # the size
        return len(self.items)  # of all

    @size.setter
    def size(self, value): pass


class Empty: ...


def close(): pass


def last(shop):
    for item in shop:
        print(item)
        # end of loop
