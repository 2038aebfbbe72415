"""What can go wrong at the desk."""


class ShedError(Exception):
    """The base of all errors of the shed."""


class NotFound(ShedError):
    """Nothing is known under that name."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(f"no {kind} named {name}")
        self.kind = kind
        self.name = name


class AlreadyLent(ShedError):
    """The item is with another member."""
