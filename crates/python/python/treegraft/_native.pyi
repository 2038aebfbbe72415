"""The compiled part of `treegraft`."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, TypeVar, final

from ._answers import EditMade, MatchCounts

_Answer = TypeVar("_Answer")

__version__: str

@final
class Engine:
    def __new__(
        cls,
        roots: Sequence[str | PathLike[str]],
        state_directory: str | PathLike[str] | None = None,
    ) -> Engine: ...
    def roots(self) -> list[str]: ...
    def call(self, kind: type[_Answer], tool: str, arguments: dict[str, Any]) -> _Answer: ...
    def close(self) -> None: ...

@final
class Edited:
    """A text after an edit that passed every check."""

    def __new__(cls, text: str, diff: str, digest: str, answer: str) -> Edited: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...
    @property
    def text(self) -> str:
        """The whole new text."""

    @property
    def diff(self) -> str:
        """The unified diff, in a form that `patch -p1` accepts; empty if nothing changed."""

    @property
    def digest(self) -> str:
        """The BLAKE3 digest of the new text."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What the edit did in addition to the operation, such as adding a comma."""

    @property
    def changed(self) -> bool:
        """Whether the text changed."""

    @property
    def answer(self) -> EditMade:
        """The complete answer: the nodes, their ranges before and after, and the matches of a rewrite."""

    @property
    def matches(self) -> MatchCounts | None:
        """The matches of a rewrite."""

def edit_text(
    tool: str,
    text: str | bytes | bytearray,
    language: str | None,
    file_path: str | None,
    arguments: dict[str, Any],
) -> Edited: ...
def call_on_text(
    kind: type[_Answer],
    tool: str,
    text: str | bytes | bytearray,
    language: str | None,
    file_path: str | None,
    arguments: dict[str, Any],
) -> _Answer: ...
def languages() -> dict[str, Any]: ...
def node_types(language: str) -> dict[str, Any]: ...
