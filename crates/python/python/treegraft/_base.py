"""The part of `Engine` that is not generated."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import TracebackType
from typing import Any, TypeVar

from ._native import Engine as NativeEngine

_Engine = TypeVar("_Engine", bound="EngineBase")
_Answer = TypeVar("_Answer")


class EngineBase:
    """An engine without its tools."""

    __slots__ = ("_native", "_opened")

    def __init__(
        self,
        root: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = ".",
        *,
        state_directory: str | os.PathLike[str] | None = None,
    ) -> None:
        """Opens an engine.

        Args:
            root: A directory, or several. The engine reads and writes only below them.
            state_directory: Where staged edits and the history are kept. Default: the user's state directory, which the
                program `treegraft` uses too.

        Raises:
            OSError: A root or the state directory cannot be opened.
        """
        roots = [root] if isinstance(root, (str, os.PathLike)) else list(root)
        self._opened = (roots, state_directory)
        self._native = NativeEngine(roots, state_directory)

    @property
    def roots(self) -> tuple[str, ...]:
        """The root directories."""
        return tuple(self._native.roots())

    def close(self) -> None:
        """Closes the engine and stops its language servers. Later calls raise `ValueError`.

        Python also does so when nothing refers to the engine any more.
        """
        self._native.close()

    def __enter__(self: _Engine) -> _Engine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        roots, _ = self._opened
        shown = repr(os.fspath(roots[0])) if len(roots) == 1 else repr([os.fspath(root) for root in roots])
        return f"{type(self).__name__}({shown})"

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process opens its own.
        roots, state_directory = self._opened
        return (_reopened, (type(self), roots, state_directory))

    def _call(self, kind: type[_Answer], tool: str, arguments: dict[str, object]) -> _Answer:
        return self._native.call(kind, tool, arguments)


def _reopened(
    engine: type[_Engine],
    roots: Sequence[str | os.PathLike[str]],
    state_directory: str | os.PathLike[str] | None,
) -> _Engine:
    return engine(roots, state_directory=state_directory)
