"""The compiled part of `treegraft`."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, final

__version__: str

@final
class Engine:
    def __new__(
        cls,
        roots: Sequence[str | PathLike[str]],
        state_directory: str | PathLike[str] | None = None,
    ) -> Engine: ...
    def roots(self) -> list[str]: ...
    def call(self, tool: str, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]: ...
    def close(self) -> None: ...

def call_on_text(
    tool: str,
    text: str | bytes | bytearray,
    language: str | None,
    file_path: str | None,
    arguments: Mapping[str, Any],
) -> tuple[tuple[dict[str, Any], str | None], tuple[str, str, str] | None]: ...
def languages() -> dict[str, Any]: ...
def node_types(language: str) -> tuple[dict[str, Any], str | None]: ...
