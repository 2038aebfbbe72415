"""`Refusal`, the exception of every call that treegraft refuses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ._answers import Code, NodeLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A place that the request may mean."""

    line: int
    """Its line, from 1."""

    text: str
    """Its first line."""

    ancestors: tuple[NodeLine, ...]
    """The enclosing nodes, innermost first."""

    symbol_path: tuple[str, ...]
    """The enclosing symbols."""

    node_type: str | None = None
    """The type of the node, if the request is about a node."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Candidate:
        """Reads the JSON form of the candidate."""
        return Candidate(
            line=data["line"],
            text=data["text"],
            ancestors=tuple([NodeLine.from_json(one) for one in data["ancestors"]]),
            symbol_path=tuple(data["symbol_path"]),
            node_type=data.get("node_type"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A call that may be meant. treegraft resolved it before it suggested it."""

    tool: str
    """The tool, or the function of this module: `edit`, `find`, ..."""

    arguments: dict[str, Any]
    """Its arguments: pass them to `Engine.call`."""

    selects: str
    """The node that it selects: type, line and text."""

    trial: Literal["not_tried", "refused"] | None = None
    """Set if the call selects one node, but the edit was not tried there or is refused there. `None` if the call works."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Suggestion:
        """Reads the JSON form of the suggestion."""
        return Suggestion(
            tool=data["tool"],
            arguments=data["arguments"],
            selects=data["selects"],
            trial=data.get("trial"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonPlace:
    """A place in one of several files."""

    file: str
    """The file."""

    line: int
    """Its line, from 1."""

    column: int
    """The character in the line, from 1."""

    text: str
    """The line without its indentation."""

    reason: str
    """The reason for listing it."""

    locate: str | dict[str, Any] | None = None
    """A locator that resolves to the place, if there is one."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> ReasonPlace:
        """Reads the JSON form of the place."""
        return ReasonPlace(
            file=data["file"],
            line=data["line"],
            column=data["column"],
            text=data["text"],
            reason=data["reason"],
            locate=data.get("locate"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FurtherRefusal:
    """The refusal of another edit of the same call."""

    edit_index: int | None
    """The index of the edit, from 0."""

    code: Code
    """Its code."""

    message: str
    """One sentence."""

    amendments: tuple[dict[str, Any], ...]
    """Suggested changes of the edit."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> FurtherRefusal:
        """Reads the JSON form of the refusal."""
        return FurtherRefusal(
            edit_index=data.get("edit_index"),
            code=data["code"],
            message=data["message"],
            amendments=tuple(data["amendments"]),
        )


class Refusal(Exception):
    """A call that treegraft refused, and what to do next.

    `str(refusal)` is the complete text, with the excerpt and the suggested calls. Nothing was changed.
    """

    code: Code
    """The kind of the refusal."""

    message: str
    """One sentence, lower case, without a full stop."""

    excerpt: str | None
    """The surrounding lines with a caret, if the refusal has a single location."""

    help: str | None
    """What to do if no call can be suggested."""

    candidates: tuple[Candidate, ...]
    """The places that the request may mean."""

    candidates_omitted: int
    """The number of candidates that are not listed."""

    suggestions: tuple[Suggestion, ...]
    """Calls that may be meant: first those that work."""

    diff: str | None
    """The change that was refused."""

    edit_id: str | None
    """The id of the kept request: `Engine.amend_edit` changes it."""

    edit_index: int | None
    """The index of the edit among several, from 0."""

    amendments: tuple[dict[str, Any], ...]
    """If several edits are refused: suggested changes of this one."""

    further: tuple[FurtherRefusal, ...]
    """The refusals of further edits of the same call."""

    further_omitted: int
    """The number of further refused edits that are not listed."""

    places: tuple[ReasonPlace, ...]
    """The places that a refusal about several files lists."""

    places_omitted: int
    """The number of places that are not listed."""

    def __init__(self, data: Mapping[str, Any], text: str) -> None:
        super().__init__(text.rstrip("\n"))
        self._data = data
        self.code = data["code"]
        self.message = data["message"]
        self.excerpt = data.get("excerpt")
        self.help = data.get("help")
        self.candidates = tuple([Candidate.from_json(one) for one in data.get("candidates", ())])
        self.candidates_omitted = data.get("candidates_omitted", 0)
        self.suggestions = tuple([Suggestion.from_json(one) for one in data.get("suggestions", ())])
        self.diff = data.get("diff")
        self.edit_id = data.get("edit_id")
        self.edit_index = data.get("edit_index")
        self.amendments = tuple(data.get("amendments", ()))
        self.further = tuple([FurtherRefusal.from_json(one) for one in data.get("further", ())])
        self.further_omitted = data.get("further_omitted", 0)
        self.places = tuple([ReasonPlace.from_json(one) for one in data.get("places", ())])
        self.places_omitted = data.get("places_omitted", 0)

    def __repr__(self) -> str:
        return f"Refusal(code={self.code!r}, message={self.message!r})"

    def __reduce__(self) -> tuple[Callable[..., Refusal], tuple[Mapping[str, Any], str]]:
        # Other processes receive exceptions as pickles.
        return (Refusal, (self._data, str(self)))

    def to_json(self) -> Mapping[str, Any]:
        """Returns the JSON form of the refusal, as in the answers of the other front ends."""
        return self._data
