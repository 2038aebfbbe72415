"""`Deferred`, the base of the answers of tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from ._native import CompiledAnswer

_Answer = TypeVar("_Answer", bound="Deferred")

_new = object.__new__
_set = object.__setattr__


class Deferred:
    """An answer whose fields are created when a program reads the first one, since this takes time."""

    __slots__ = ("_compiled",)

    @classmethod
    def from_json(cls: type[_Answer], data: Mapping[str, Any]) -> _Answer:
        """Reads the JSON form of the answer."""
        return cls(**cls._fields(data))

    @staticmethod
    def _fields(data: Mapping[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    # Type checkers would accept any attribute.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name not in type(self).__dataclass_fields__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            compiled = getattr(self, "_compiled", None)
            # Otherwise another thread has created them since.
            if compiled is not None:
                self.__init__(**self._fields(compiled.json()))
                _set(self, "_compiled", None)
            return object.__getattribute__(self, name)


def deferred(kind: type[_Answer], compiled: CompiledAnswer) -> _Answer:
    """Returns an answer whose fields are created later."""
    answer = _new(kind)
    _set(answer, "_compiled", compiled)
    return answer
