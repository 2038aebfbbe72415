"""The types of answers, generated from those of the library.

`TREEGRAFT_RECORD=1 cargo test -p treegraft-cli --test main --all-features -- python::` writes this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = [
    "Action",
    "Actions",
    "Captured",
    "Code",
    "Completed",
    "Completion",
    "Definitions",
    "Diagnosed",
    "EditAction",
    "EditDiscarded",
    "EditList",
    "EditListed",
    "EditMade",
    "EditStatus",
    "FileEdited",
    "FileOutline",
    "FileRole",
    "Generalized",
    "Hovered",
    "Known",
    "LanguageList",
    "LanguageListed",
    "Located",
    "Location",
    "MatchCounts",
    "MatchRefused",
    "NodeEdited",
    "NodeFound",
    "NodeLine",
    "NodeRead",
    "NodeText",
    "NodeTypeListed",
    "NodeTypes",
    "NodesFound",
    "OtherPattern",
    "Outlined",
    "PathSummary",
    "PatternMatch",
    "Point",
    "Problem",
    "ProblemsChanged",
    "Range",
    "RankedSymbol",
    "References",
    "RuleOfMatch",
    "Signature",
    "Signatures",
    "SymbolFound",
    "SymbolListed",
    "SymbolsFound",
]

Code = Literal[
    "invalid_locate",
    "invalid_scope",
    "line_out_of_range",
    "symbol_not_found",
    "ambiguous_symbol",
    "find_not_found",
    "anchor_not_found",
    "ancestor_not_found",
    "ancestor_required",
    "ambiguous_target",
    "unknown_node_type",
    "nth_out_of_range",
    "match_count_mismatch",
    "splits_word",
    "not_editable",
    "no_inside",
    "unsupported_selector",
    "invalid_content",
    "suspicious_content",
    "breaks_syntax",
    "changes_surroundings",
    "no_change",
    "overlapping_edits",
    "stale_edit",
    "edit_not_found",
    "discarded",
    "approval_required",
    "file_not_found",
    "file_exists",
    "not_a_file",
    "outside_workspace",
    "not_utf8",
    "binary_file",
    "file_too_large",
    "hard_linked",
    "permission_denied",
    "locked",
    "io_error",
    "invalid_arguments",
    "invalid_pattern",
    "unknown_language",
    "grammar_unavailable",
    "server_not_installed",
    "spawn_failed",
    "handshake_failed",
    "request_timeout",
    "server_crashed",
    "malformed_answer",
    "not_ready",
    "incomplete_rename",
    "incomplete_move",
    "still_used",
]
"""The code of a refusal."""


@dataclass(frozen=True, kw_only=True)
class Action:
    """A code action."""

    title: str
    """The title; pass it as `apply`."""

    kind: str | None = None
    """`quickfix`, `refactor.extract`, ..."""

    is_preferred: bool = False
    """Whether the server prefers it."""

    not_possible: str | None = None
    """Why it is not available here."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Action:
        """Reads the JSON form of the answer."""
        return Action(
            title=data["title"],
            kind=data.get("kind"),
            is_preferred=data.get("is_preferred", False),
            not_possible=data.get("not_possible"),
        )


@dataclass(frozen=True, kw_only=True)
class Actions:
    """The code actions at a place, or the preview of one."""

    success: bool
    """Whether there is an answer."""

    completeness: Known
    """Whether it is complete."""

    completeness_reason: str | None = None
    """Why it is incomplete."""

    parse_error: str | None = None
    """Why there is no answer: `code: message`."""

    notes: tuple[str, ...] = ()
    """What was omitted."""

    actions: tuple[Action, ...]
    """The available actions; empty if one was applied."""

    edit: EditMade | None = None
    """The preview of the chosen action."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Actions:
        """Reads the JSON form of the answer."""
        return Actions(
            success=data["success"],
            completeness=data["completeness"],
            completeness_reason=data.get("completeness_reason"),
            parse_error=data.get("parse_error"),
            notes=tuple(data.get("notes", ())),
            actions=tuple([Action.from_json(one) for one in data["actions"]]),
            edit=EditMade.from_json(data["edit"]) if "edit" in data else None,
        )


@dataclass(frozen=True, kw_only=True)
class Captured:
    """A capture of a query or a pattern."""

    name: str
    """The name; that of a placeholder as in the pattern (`$A`, `$$$REST`)."""

    line: int
    """Its line, from 1."""

    text: str
    """Of a query: its first line; of a pattern: all of it."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Captured:
        """Reads the JSON form of the answer."""
        return Captured(
            name=data["name"],
            line=data["line"],
            text=data["text"],
        )


@dataclass(frozen=True, kw_only=True)
class Completed:
    """The completions at a place."""

    success: bool
    """Whether there is an answer."""

    completeness: Known
    """Whether it is complete."""

    completeness_reason: str | None = None
    """Why it is incomplete."""

    parse_error: str | None = None
    """Why there is no answer: `code: message`."""

    notes: tuple[str, ...] = ()
    """What was omitted."""

    item_count: int
    """The total number."""

    items: tuple[Completion, ...]
    """The first of them, in the server's order."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Completed:
        """Reads the JSON form of the answer."""
        return Completed(
            success=data["success"],
            completeness=data["completeness"],
            completeness_reason=data.get("completeness_reason"),
            parse_error=data.get("parse_error"),
            notes=tuple(data.get("notes", ())),
            item_count=data["item_count"],
            items=tuple([Completion.from_json(one) for one in data["items"]]),
        )


@dataclass(frozen=True, kw_only=True)
class Completion:
    """A completion."""

    label: str
    """The inserted text, or a name for it."""

    kind: str | None = None
    """`method`, `variable`, ..."""

    detail: str | None = None
    """Its type or origin."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Completion:
        """Reads the JSON form of the answer."""
        return Completion(
            label=data["label"],
            kind=data.get("kind"),
            detail=data.get("detail"),
        )


@dataclass(frozen=True, kw_only=True)
class Definitions:
    """The definitions of a name."""

    success: bool
    """Whether there is an answer."""

    completeness: Known
    """Whether it is complete."""

    completeness_reason: str | None = None
    """Why it is incomplete."""

    parse_error: str | None = None
    """Why there is no answer: `code: message`."""

    notes: tuple[str, ...] = ()
    """What was omitted."""

    symbol: str
    """The name."""

    locations: tuple[Location, ...]
    """The definitions."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Definitions:
        """Reads the JSON form of the answer."""
        return Definitions(
            success=data["success"],
            completeness=data["completeness"],
            completeness_reason=data.get("completeness_reason"),
            parse_error=data.get("parse_error"),
            notes=tuple(data.get("notes", ())),
            symbol=data["symbol"],
            locations=tuple([Location.from_json(one) for one in data["locations"]]),
        )


@dataclass(frozen=True, kw_only=True)
class Diagnosed:
    """The problems in files."""

    success: bool
    """Whether there is an answer."""

    completeness: Known
    """Whether it is complete."""

    completeness_reason: str | None = None
    """Why it is incomplete."""

    parse_error: str | None = None
    """Why there is no answer: `code: message`."""

    notes: tuple[str, ...] = ()
    """What was omitted."""

    diagnostic_count: int
    """The total number."""

    diagnostics: tuple[Problem, ...]
    """The first of them, in path order."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Diagnosed:
        """Reads the JSON form of the answer."""
        return Diagnosed(
            success=data["success"],
            completeness=data["completeness"],
            completeness_reason=data.get("completeness_reason"),
            parse_error=data.get("parse_error"),
            notes=tuple(data.get("notes", ())),
            diagnostic_count=data["diagnostic_count"],
            diagnostics=tuple([Problem.from_json(one) for one in data["diagnostics"]]),
        )

EditAction = Literal[
    "replace",
    "replace_text",
    "insert_before",
    "insert_after",
    "insert_into",
    "delete",
    "wrap",
    "move",
    "move_before",
    "move_after",
    "move_into",
    "create_file",
    "delete_file",
    "move_file",
    "move_file_here",
    "organize_file",
]
"""The action on a selected node."""


@dataclass(frozen=True, kw_only=True)
class EditDiscarded:
    """A discarded edit."""

    edit_id: str
    """Its id."""

    discarded: bool
    """Always true."""

    reason: str | None = None
    """Why, as later calls about the edit report it."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> EditDiscarded:
        """Reads the JSON form of the answer."""
        return EditDiscarded(
            edit_id=data["edit_id"],
            discarded=data["discarded"],
            reason=data.get("reason"),
        )


@dataclass(frozen=True, kw_only=True)
class EditList:
    """The pending and recently applied edits."""

    edits: tuple[EditListed, ...]
    """Pending, then applied and undone edits, then those discarded with a reason; newest first."""

    omitted: int = 0
    """The number of older edits that are not listed."""

    unreadable: tuple[str, ...] = ()
    """Records that cannot be read, and interrupted changes that cannot be completed or reverted."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> EditList:
        """Reads the JSON form of the answer."""
        return EditList(
            edits=tuple([EditListed.from_json(one) for one in data["edits"]]),
            omitted=data.get("omitted", 0),
            unreadable=tuple(data.get("unreadable", ())),
        )


@dataclass(frozen=True, kw_only=True)
class EditListed:
    """A pending, applied, undone or discarded edit."""

    edit_id: str
    """Pass it to apply_edit, or to undo_edit if the edit is applied."""

    status: EditStatus
    """Previewed, refused, applied, undone or discarded."""

    client: str | None = None
    """The program that made it: the name of an MCP client, or `cli`."""

    session: str | None = None
    """The session of that program. It tells apart two programs of the same name."""

    tool: str
    """The tool that made it."""

    file_path: str
    """The files, separated by commas."""

    symbol: str | None = None
    """The symbol of its first target."""

    added_lines: int = 0
    """The number of lines that it adds."""

    removed_lines: int = 0
    """The number of lines that it removes."""

    created: int
    """The creation time, in seconds since 1970. For a discarded edit, the time of that."""

    summary: str
    """What it does or why it was refused, in one line."""

    reason: str | None = None
    """Why it was discarded."""

    diff: str | None = None
    """The diff, if one edit was requested."""

    overlaps: tuple[str, ...] = ()
    """Other pending edits that change the same text: if one is applied, the others are stale."""

    depends_on: tuple[str, ...] = ()
    """The applied edits whose text it changed: each can only be undone after this one."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> EditListed:
        """Reads the JSON form of the answer."""
        return EditListed(
            edit_id=data["edit_id"],
            status=data["status"],
            client=data.get("client"),
            session=data.get("session"),
            tool=data["tool"],
            file_path=data["file_path"],
            symbol=data.get("symbol"),
            added_lines=data.get("added_lines", 0),
            removed_lines=data.get("removed_lines", 0),
            created=data["created"],
            summary=data["summary"],
            reason=data.get("reason"),
            diff=data.get("diff"),
            overlaps=tuple(data.get("overlaps", ())),
            depends_on=tuple(data.get("depends_on", ())),
        )


@dataclass(frozen=True, kw_only=True)
class EditMade:
    """An edit that was previewed or written."""

    edit_id: str = ""
    """Pass it to apply_edit. Absent if nothing would change."""

    status: EditStatus
    """Whether it is written."""

    needs_approval: bool = False
    """Whether only the user can apply it, on the command line."""

    files: tuple[FileEdited, ...]
    """The changed files."""

    notes: tuple[str, ...]
    """What treegraft did beyond the request."""

    diagnostics: ProblemsChanged | None = None
    """Problems in the files before and after the write, from running language servers."""

    matches: MatchCounts | None = None
    """The matches of a rewrite."""

    generalized: Generalized | None = None
    """How the change of an earlier edit was generalized."""

    @property
    def diff(self) -> str:
        """The unified diff of all files, as far as the answer shows it."""
        return "".join([file.diff for file in self.files if file.diff is not None])

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> EditMade:
        """Reads the JSON form of the answer."""
        return EditMade(
            edit_id=data.get("edit_id", ""),
            status=data["status"],
            needs_approval=data.get("needs_approval", False),
            files=tuple([FileEdited.from_json(one) for one in data["files"]]),
            notes=tuple(data["notes"]),
            diagnostics=ProblemsChanged.from_json(data["diagnostics"]) if "diagnostics" in data else None,
            matches=MatchCounts.from_json(data["matches"]) if "matches" in data else None,
            generalized=Generalized.from_json(data["generalized"]) if "generalized" in data else None,
        )

EditStatus = Literal[
    "previewed",
    "applied",
    "rebased",
    "rebase_proposed",
    "refused",
    "undone",
    "undo_previewed",
    "unchanged",
    "discarded",
]
"""The status of an edit."""


@dataclass(frozen=True, kw_only=True)
class FileEdited:
    """The changes of one file."""

    file_path: str
    """The file."""

    added_lines: int
    """The number of lines that the edit adds."""

    removed_lines: int
    """The number of lines that the edit removes. A changed line counts as removed and added."""

    diff: str | None = None
    """A unified diff. Absent if the edit is written as sent or as previewed, unless requested."""

    seams: str | None = None
    """In the answer of a call that writes without a preview: the first and last lines of each change and the lines next
    to them, as in a diff. Lines that replace as many lines of the same indentation count as unchanged.
    """

    edit_index: int | None = None
    """Its index among the edits of the call, from 0."""

    match_number: int | None = None
    """The number of the match of a rewrite, from 1."""

    action: EditAction
    """The action on the node."""

    node_type: str
    """The type of the selected node."""

    range: Range
    """Its range before the edit."""

    new_range: Range
    """The range of the new text, also for a move within the file; empty after a deletion or a move to another file."""

    edits: tuple[NodeEdited, ...] = ()
    """All edits of the file, if the call makes several."""

    digest_before: str
    """BLAKE3 digest of the file before the edit; `absent` if there was no file."""

    digest_after: str
    """BLAKE3 digest of the file after the edit; `absent` if there is no file."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> FileEdited:
        """Reads the JSON form of the answer."""
        return FileEdited(
            file_path=data["file_path"],
            added_lines=data["added_lines"],
            removed_lines=data["removed_lines"],
            diff=data.get("diff"),
            seams=data.get("seams"),
            edit_index=data.get("edit_index"),
            match_number=data.get("match_number"),
            action=data["action"],
            node_type=data["node_type"],
            range=Range.from_json(data["range"]),
            new_range=Range.from_json(data["new_range"]),
            edits=tuple([NodeEdited.from_json(one) for one in data.get("edits", ())]),
            digest_before=data["digest_before"],
            digest_after=data["digest_after"],
        )


@dataclass(frozen=True, kw_only=True)
class FileOutline:
    """The symbols of a file."""

    file_path: str
    """The file."""

    symbols: tuple[SymbolListed, ...]
    """Its top-level symbols in file order, without those on earlier pages."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> FileOutline:
        """Reads the JSON form of the answer."""
        return FileOutline(
            file_path=data["file_path"],
            symbols=tuple([SymbolListed.from_json(one) for one in data["symbols"]]),
        )

FileRole = Literal[
    "test",
    "generated",
]
"""What a file is if it is not an ordinary one."""


@dataclass(frozen=True, kw_only=True)
class Generalized:
    """The pattern of an earlier edit, and the other possible ones."""

    edit_id: str
    """The id of the earlier edit."""

    pattern: str
    """The pattern whose matches are rewritten."""

    reading: str
    """What it is read as."""

    new_content: str
    """The replacement of each match."""

    language: str
    """The language in which it is a pattern."""

    others: tuple[OtherPattern, ...] = ()
    """The other possible patterns, the narrower first."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Generalized:
        """Reads the JSON form of the answer."""
        return Generalized(
            edit_id=data["edit_id"],
            pattern=data["pattern"],
            reading=data["reading"],
            new_content=data["new_content"],
            language=data["language"],
            others=tuple([OtherPattern.from_json(one) for one in data.get("others", ())]),
        )


@dataclass(frozen=True, kw_only=True)
class Hovered:
    """The type and documentation of a name."""

    success: bool
    """Whether there is an answer."""

    completeness: Known
    """Whether it is complete."""

    completeness_reason: str | None = None
    """Why it is incomplete."""

    parse_error: str | None = None
    """Why there is no answer: `code: message`."""

    notes: tuple[str, ...] = ()
    """What was omitted."""

    symbol: str
    """The name."""

    text: str
    """Its type and its documentation, as Markdown."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Hovered:
        """Reads the JSON form of the answer."""
        return Hovered(
            success=data["success"],
            completeness=data["completeness"],
            completeness_reason=data.get("completeness_reason"),
            parse_error=data.get("parse_error"),
            notes=tuple(data.get("notes", ())),
            symbol=data["symbol"],
            text=data["text"],
        )

Known = Literal[
    "complete",
    "still_indexing",
    "degraded",
]
"""How complete the answer of the server is."""


@dataclass(frozen=True, kw_only=True)
class LanguageList:
    """The languages."""

    languages: tuple[LanguageListed, ...]
    """The languages; plain text is last."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> LanguageList:
        """Reads the JSON form of the answer."""
        return LanguageList(
            languages=tuple([LanguageListed.from_json(one) for one in data["languages"]]),
        )


@dataclass(frozen=True, kw_only=True)
class LanguageListed:
    """A language."""

    name: str
    """Its name."""

    other_names: tuple[str, ...] = ()
    """Its other names in code fences and `type="..."` attributes."""

    extensions: tuple[str, ...] = ()
    """The extensions of its files, without the dot."""

    file_names: tuple[str, ...] = ()
    """Names of its files."""

    interpreters: tuple[str, ...] = ()
    """The interpreters in the first line (`#!...`) of its files."""

    server: str | None = None
    """The command of its language server."""

    is_added: bool = False
    """Whether the user added it (`treegraft languages add`)."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> LanguageListed:
        """Reads the JSON form of the answer."""
        return LanguageListed(
            name=data["name"],
            other_names=tuple(data.get("other_names", ())),
            extensions=tuple(data.get("extensions", ())),
            file_names=tuple(data.get("file_names", ())),
            interpreters=tuple(data.get("interpreters", ())),
            server=data.get("server"),
            is_added=data.get("is_added", False),
        )


@dataclass(frozen=True, kw_only=True)
class Located:
    """A place, with the locator and the selector that select it."""

    file_path: str
    """The file."""

    position: Point | None = None
    """The point; if a position was sent, that position or the start of a token next to it."""

    range: Range | None = None
    """What the locator matches, or the requested range without surrounding whitespace."""

    locate: str | dict[str, Any] | None = None
    """Of a position or a range: the shortest locator; absent if a range has no short one."""

    node: NodeLine | None = None
    """The smallest node there."""

    selector: str | dict[str, Any] | None = None
    """The shortest selector of that node."""

    ancestors: tuple[NodeLine, ...] = ()
    """The enclosing nodes, innermost first: other types for the selector."""

    matches: int | None = None
    """Of a locator: the number of matches, including this one."""

    find_index: int | None = None
    """The requested match, from 1."""

    near: str | None = None
    """The similar text that matched, if find itself does not match."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Located:
        """Reads the JSON form of the answer."""
        return Located(
            file_path=data["file_path"],
            position=Point.from_json(data["position"]) if "position" in data else None,
            range=Range.from_json(data["range"]) if "range" in data else None,
            locate=data.get("locate"),
            node=NodeLine.from_json(data["node"]) if "node" in data else None,
            selector=data.get("selector"),
            ancestors=tuple([NodeLine.from_json(one) for one in data.get("ancestors", ())]),
            matches=data.get("matches"),
            find_index=data.get("find_index"),
            near=data.get("near"),
        )


@dataclass(frozen=True, kw_only=True)
class Location:
    """A place in a file."""

    file: str
    """The file; an absolute path outside the workspace."""

    line: int
    """The line, from 1."""

    column: int
    """The character in the line, from 1, in code points."""

    end_line: int
    """The last line."""

    end_column: int
    """The character after the end."""

    preview: str = ""
    """The text of the line; empty outside the workspace."""

    symbol_path: tuple[str, ...] = ()
    """The enclosing symbols."""

    file_role: FileRole | None = None
    """Whether the file is a test or generated; absent for ordinary files."""

    locate: str | dict[str, Any] | None = None
    """Its locator."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Location:
        """Reads the JSON form of the answer."""
        return Location(
            file=data["file"],
            line=data["line"],
            column=data["column"],
            end_line=data["end_line"],
            end_column=data["end_column"],
            preview=data.get("preview", ""),
            symbol_path=tuple(data.get("symbol_path", ())),
            file_role=data.get("file_role"),
            locate=data.get("locate"),
        )


@dataclass(frozen=True, kw_only=True)
class MatchCounts:
    """The matches of a pattern that a call rewrites."""

    found: int
    """The number of matches, without those inside other matches."""

    replaced: int
    """The number of replaced or deleted matches."""

    unchanged: int
    """The number of matches that are equal to their replacement."""

    left_out: int = 0
    """The number of matches that `skip` or `only` left out."""

    nested: int = 0
    """The number of matches inside other matches, which are rewritten with them."""

    refused_total: int = 0
    """The number of matches that `skip_failing` left out."""

    refused: tuple[MatchRefused, ...] = ()
    """The first of them."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> MatchCounts:
        """Reads the JSON form of the answer."""
        return MatchCounts(
            found=data["found"],
            replaced=data["replaced"],
            unchanged=data["unchanged"],
            left_out=data.get("left_out", 0),
            nested=data.get("nested", 0),
            refused_total=data.get("refused_total", 0),
            refused=tuple([MatchRefused.from_json(one) for one in data.get("refused", ())]),
        )


@dataclass(frozen=True, kw_only=True)
class MatchRefused:
    """A match whose edit is refused."""

    match_number: int
    """Its number, from 1."""

    file_path: str
    """The file."""

    line: int
    """Its line, from 1."""

    code: str
    """The code of the refusal."""

    message: str
    """The reason."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> MatchRefused:
        """Reads the JSON form of the answer."""
        return MatchRefused(
            match_number=data["match_number"],
            file_path=data["file_path"],
            line=data["line"],
            code=data["code"],
            message=data["message"],
        )


@dataclass(frozen=True, kw_only=True)
class NodeEdited:
    """The edit of one node."""

    edit_index: int | None = None
    """Its index among the edits of the call, from 0."""

    match_number: int | None = None
    """The number of the match of a rewrite, from 1."""

    action: EditAction
    """The action on the node."""

    node_type: str
    """The type of the selected node."""

    range: Range
    """Its range before the edit."""

    new_range: Range
    """The range of the new text, also for a move within the file; empty after a deletion or a move to another file."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> NodeEdited:
        """Reads the JSON form of the answer."""
        return NodeEdited(
            edit_index=data.get("edit_index"),
            match_number=data.get("match_number"),
            action=data["action"],
            node_type=data["node_type"],
            range=Range.from_json(data["range"]),
            new_range=Range.from_json(data["new_range"]),
        )


@dataclass(frozen=True, kw_only=True)
class NodeFound:
    """A node found by a search."""

    file_path: str
    """The file."""

    line: int
    """The line of the match, from 1; with node_type, the first line of the node."""

    node_type: str
    """The type of the node."""

    text: str
    """The text of that line; for a node, from its start."""

    symbol_path: tuple[str, ...] = ()
    """The symbols that enclose the node, including itself."""

    selector: str | dict[str, Any] | None = None
    """A selector that selects only this node, if there is one."""

    captures: tuple[Captured, ...] = ()
    """The captures of the query, or those of the placeholders of the pattern. Also the variables that the rule
    computes.
    """

    rule: RuleOfMatch | None = None
    """Its rule, if there are several."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> NodeFound:
        """Reads the JSON form of the answer."""
        return NodeFound(
            file_path=data["file_path"],
            line=data["line"],
            node_type=data["node_type"],
            text=data["text"],
            symbol_path=tuple(data.get("symbol_path", ())),
            selector=data.get("selector"),
            captures=tuple([Captured.from_json(one) for one in data.get("captures", ())]),
            rule=RuleOfMatch.from_json(data["rule"]) if "rule" in data else None,
        )


@dataclass(frozen=True, kw_only=True)
class NodeLine:
    """A node in a list."""

    node_type: str
    """Its type."""

    line: int
    """Its line, from 1."""

    text: str
    """Its first line."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> NodeLine:
        """Reads the JSON form of the answer."""
        return NodeLine(
            node_type=data["node_type"],
            line=data["line"],
            text=data["text"],
        )


@dataclass(frozen=True, kw_only=True)
class NodeRead:
    """A node with its ancestors."""

    file_path: str
    """The file."""

    node: NodeText
    """The node."""

    ancestors: tuple[NodeLine, ...]
    """The enclosing nodes, innermost first."""

    ancestors_omitted: int = 0
    """The number of outer enclosing nodes that are not listed."""

    symbols: tuple[SymbolListed, ...] = ()
    """Of a file or lines: the symbols in the text."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> NodeRead:
        """Reads the JSON form of the answer."""
        return NodeRead(
            file_path=data["file_path"],
            node=NodeText.from_json(data["node"]),
            ancestors=tuple([NodeLine.from_json(one) for one in data["ancestors"]]),
            ancestors_omitted=data.get("ancestors_omitted", 0),
            symbols=tuple([SymbolListed.from_json(one) for one in data.get("symbols", ())]),
        )


@dataclass(frozen=True, kw_only=True)
class NodeText:
    """A node with its text."""

    node_type: str
    """Its type."""

    range: Range
    """Its range."""

    text: str
    """Its text."""

    omitted_bytes: int = 0
    """The number of omitted bytes at its end."""

    symbol_path: tuple[str, ...]
    """The symbols that enclose it, including itself."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> NodeText:
        """Reads the JSON form of the answer."""
        return NodeText(
            node_type=data["node_type"],
            range=Range.from_json(data["range"]),
            text=data["text"],
            omitted_bytes=data.get("omitted_bytes", 0),
            symbol_path=tuple(data["symbol_path"]),
        )


@dataclass(frozen=True, kw_only=True)
class NodeTypeListed:
    """A node type."""

    node_type: str
    """A value for ancestor_node_type."""

    example: str | None = None
    """The first line of a node of this type."""

    general_words: tuple[str, ...] = ()
    """The general words that match the type, some only in certain places."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> NodeTypeListed:
        """Reads the JSON form of the answer."""
        return NodeTypeListed(
            node_type=data["node_type"],
            example=data.get("example"),
            general_words=tuple(data.get("general_words", ())),
        )


@dataclass(frozen=True, kw_only=True)
class NodeTypes:
    """The node types of a language."""

    language: str
    """The language."""

    node_types: tuple[NodeTypeListed, ...]
    """In alphabetical order."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> NodeTypes:
        """Reads the JSON form of the answer."""
        return NodeTypes(
            language=data["language"],
            node_types=tuple([NodeTypeListed.from_json(one) for one in data["node_types"]]),
        )


@dataclass(frozen=True, kw_only=True)
class NodesFound:
    """The nodes found."""

    matches: tuple[NodeFound, ...]
    """In path order, then in text order."""

    total: int | None = None
    """The number of matches of a pattern or rule on all pages; only on the first of several pages. Of a call on a text,
    the number of all matches if not all are listed.
    """

    files_looked_at: int
    """The number of files searched."""

    cursor: str | None = None
    """Pass it to get the next page."""

    notes: tuple[str, ...] = ()
    """Skipped files and limits."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> NodesFound:
        """Reads the JSON form of the answer."""
        return NodesFound(
            matches=tuple([NodeFound.from_json(one) for one in data["matches"]]),
            total=data.get("total"),
            files_looked_at=data["files_looked_at"],
            cursor=data.get("cursor"),
            notes=tuple(data.get("notes", ())),
        )


@dataclass(frozen=True, kw_only=True)
class OtherPattern:
    """A pattern that was not chosen."""

    pattern: str
    """The pattern."""

    reading: str
    """What it is read as."""

    new_content: str
    """The replacement of each match."""

    matches: int
    """The number of its matches, without those inside other matches."""

    files: int
    """The number of files that they are in."""

    first: tuple[PatternMatch, ...]
    """The first of them."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> OtherPattern:
        """Reads the JSON form of the answer."""
        return OtherPattern(
            pattern=data["pattern"],
            reading=data["reading"],
            new_content=data["new_content"],
            matches=data["matches"],
            files=data["files"],
            first=tuple([PatternMatch.from_json(one) for one in data["first"]]),
        )


@dataclass(frozen=True, kw_only=True)
class Outlined:
    """The symbols of files."""

    files: tuple[FileOutline, ...]
    """The files that have symbols, in path order."""

    summary: tuple[PathSummary, ...] = ()
    """If the symbols do not fit: the number of symbols in each directory or file. Each symbol is counted once."""

    ranked: tuple[RankedSymbol, ...] = ()
    """With rank: the symbols, the most referenced first."""

    files_looked_at: int
    """The number of files searched."""

    files_total: int | None = None
    """The number of files on all pages, including those without symbols; absent for one file."""

    symbols_total: int | None = None
    """The number of symbols of the requested depth and kinds on all pages."""

    totals_are_partial: bool = False
    """Whether there are more files than the totals count."""

    cursor: str | None = None
    """Pass it to get the next page."""

    notes: tuple[str, ...] = ()
    """Skipped files and limits."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Outlined:
        """Reads the JSON form of the answer."""
        return Outlined(
            files=tuple([FileOutline.from_json(one) for one in data["files"]]),
            summary=tuple([PathSummary.from_json(one) for one in data.get("summary", ())]),
            ranked=tuple([RankedSymbol.from_json(one) for one in data.get("ranked", ())]),
            files_looked_at=data["files_looked_at"],
            files_total=data.get("files_total"),
            symbols_total=data.get("symbols_total"),
            totals_are_partial=data.get("totals_are_partial", False),
            cursor=data.get("cursor"),
            notes=tuple(data.get("notes", ())),
        )


@dataclass(frozen=True, kw_only=True)
class PathSummary:
    """The number of symbols in a directory or a file."""

    path: str
    """`directory/`, a file, or `directory/*` for the files directly in a directory. Pass it as path to list the
    symbols.
    """

    files: int
    """The number of files, including those without symbols."""

    symbols: int
    """The number of symbols."""

    names: tuple[str, ...] = ()
    """Names of top-level symbols, the most referenced first."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> PathSummary:
        """Reads the JSON form of the answer."""
        return PathSummary(
            path=data["path"],
            files=data["files"],
            symbols=data["symbols"],
            names=tuple(data.get("names", ())),
        )


@dataclass(frozen=True, kw_only=True)
class PatternMatch:
    """A match of a pattern."""

    file_path: str
    """The file."""

    line: int
    """The line, from 1."""

    text: str
    """The text of the line."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> PatternMatch:
        """Reads the JSON form of the answer."""
        return PatternMatch(
            file_path=data["file_path"],
            line=data["line"],
            text=data["text"],
        )


@dataclass(frozen=True, kw_only=True)
class Point:
    """A place in a file."""

    line: int
    """Line, from 1."""

    character: int
    """Character in the line, from 1, in Unicode code points."""

    byte: int
    """Byte offset in the file."""

    utf16_character: int
    """Character in the line, from 1, in UTF-16 code units."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Point:
        """Reads the JSON form of the answer."""
        return Point(
            line=data["line"],
            character=data["character"],
            byte=data["byte"],
            utf16_character=data["utf16_character"],
        )


@dataclass(frozen=True, kw_only=True)
class Problem:
    """A problem in a file."""

    file: str
    """The file; an absolute path outside the workspace."""

    line: int
    """The line, from 1."""

    column: int
    """The character in the line, from 1, in code points."""

    end_line: int
    """The last line."""

    end_column: int
    """The character after the end."""

    preview: str = ""
    """The text of the line; empty outside the workspace."""

    symbol_path: tuple[str, ...] = ()
    """The enclosing symbols."""

    file_role: FileRole | None = None
    """Whether the file is a test or generated; absent for ordinary files."""

    locate: str | dict[str, Any] | None = None
    """Its locator."""

    severity: str
    """`error`, `warning`, `information` or `hint`."""

    message: str
    """The message."""

    code: str | None = None
    """The code that the server gives it."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Problem:
        """Reads the JSON form of the answer."""
        return Problem(
            file=data["file"],
            line=data["line"],
            column=data["column"],
            end_line=data["end_line"],
            end_column=data["end_column"],
            preview=data.get("preview", ""),
            symbol_path=tuple(data.get("symbol_path", ())),
            file_role=data.get("file_role"),
            locate=data.get("locate"),
            severity=data["severity"],
            message=data["message"],
            code=data.get("code"),
        )


@dataclass(frozen=True, kw_only=True)
class ProblemsChanged:
    """How an edit changes the problems that language servers find in its files."""

    before: int
    """The number before the edit."""

    after: int
    """The number after the edit."""

    new: tuple[Problem, ...]
    """The problems that are new."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> ProblemsChanged:
        """Reads the JSON form of the answer."""
        return ProblemsChanged(
            before=data["before"],
            after=data["after"],
            new=tuple([Problem.from_json(one) for one in data["new"]]),
        )


@dataclass(frozen=True, kw_only=True)
class Range:
    """A range of text."""

    start: Point
    """The first character."""

    end: Point
    """The position after the last character."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Range:
        """Reads the JSON form of the answer."""
        return Range(
            start=Point.from_json(data["start"]),
            end=Point.from_json(data["end"]),
        )


@dataclass(frozen=True, kw_only=True)
class RankedSymbol:
    """A symbol in a ranking."""

    file_path: str
    """The file."""

    name: str
    """Its name."""

    kind: str
    """The kind: function, struct, key, ..."""

    line: int
    """The line of its name, from 1."""

    locate: str | dict[str, Any]
    """A locator that resolves only to it."""

    references: int
    """Its share of the references to its name, rounded."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> RankedSymbol:
        """Reads the JSON form of the answer."""
        return RankedSymbol(
            file_path=data["file_path"],
            name=data["name"],
            kind=data["kind"],
            line=data["line"],
            locate=data["locate"],
            references=data["references"],
        )


@dataclass(frozen=True, kw_only=True)
class References:
    """The uses of a name."""

    success: bool
    """Whether there is an answer."""

    completeness: Known
    """Whether it is complete."""

    completeness_reason: str | None = None
    """Why it is incomplete."""

    parse_error: str | None = None
    """Why there is no answer: `code: message`."""

    notes: tuple[str, ...] = ()
    """What was omitted."""

    symbol: str
    """The name."""

    reference_count: int
    """The total number on all pages."""

    references: tuple[Location, ...]
    """Those on this page, in path order."""

    cursor: str | None = None
    """Pass it to get the next page."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> References:
        """Reads the JSON form of the answer."""
        return References(
            success=data["success"],
            completeness=data["completeness"],
            completeness_reason=data.get("completeness_reason"),
            parse_error=data.get("parse_error"),
            notes=tuple(data.get("notes", ())),
            symbol=data["symbol"],
            reference_count=data["reference_count"],
            references=tuple([Location.from_json(one) for one in data["references"]]),
            cursor=data.get("cursor"),
        )


@dataclass(frozen=True, kw_only=True)
class RuleOfMatch:
    """The rule of a match."""

    id: str
    """Its id."""

    message: str = ""
    """Its message, with the captured code."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> RuleOfMatch:
        """Reads the JSON form of the answer."""
        return RuleOfMatch(
            id=data["id"],
            message=data.get("message", ""),
        )


@dataclass(frozen=True, kw_only=True)
class Signature:
    """The signature of a definition."""

    label: str
    """The parameters and the return type."""

    documentation: str = ""
    """Its documentation, as Markdown."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Signature:
        """Reads the JSON form of the answer."""
        return Signature(
            label=data["label"],
            documentation=data.get("documentation", ""),
        )


@dataclass(frozen=True, kw_only=True)
class Signatures:
    """The signatures of a call."""

    success: bool
    """Whether there is an answer."""

    completeness: Known
    """Whether it is complete."""

    completeness_reason: str | None = None
    """Why it is incomplete."""

    parse_error: str | None = None
    """Why there is no answer: `code: message`."""

    notes: tuple[str, ...] = ()
    """What was omitted."""

    signatures: tuple[Signature, ...]
    """One for each possible definition."""

    active_parameter: int | None = None
    """The parameter at the place, from 1."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Signatures:
        """Reads the JSON form of the answer."""
        return Signatures(
            success=data["success"],
            completeness=data["completeness"],
            completeness_reason=data.get("completeness_reason"),
            parse_error=data.get("parse_error"),
            notes=tuple(data.get("notes", ())),
            signatures=tuple([Signature.from_json(one) for one in data["signatures"]]),
            active_parameter=data.get("active_parameter"),
        )


@dataclass(frozen=True, kw_only=True)
class SymbolFound:
    """A symbol of the workspace."""

    name: str
    """Its name."""

    kind: str
    """`function`, `class`, ..."""

    file: str
    """The file; an absolute path outside the workspace."""

    line: int
    """The line, from 1."""

    column: int
    """The character in the line, from 1, in code points."""

    end_line: int
    """The last line."""

    end_column: int
    """The character after the end."""

    preview: str = ""
    """The text of the line; empty outside the workspace."""

    symbol_path: tuple[str, ...] = ()
    """The enclosing symbols."""

    file_role: FileRole | None = None
    """Whether the file is a test or generated; absent for ordinary files."""

    locate: str | dict[str, Any] | None = None
    """Its locator."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> SymbolFound:
        """Reads the JSON form of the answer."""
        return SymbolFound(
            name=data["name"],
            kind=data["kind"],
            file=data["file"],
            line=data["line"],
            column=data["column"],
            end_line=data["end_line"],
            end_column=data["end_column"],
            preview=data.get("preview", ""),
            symbol_path=tuple(data.get("symbol_path", ())),
            file_role=data.get("file_role"),
            locate=data.get("locate"),
        )


@dataclass(frozen=True, kw_only=True)
class SymbolListed:
    """A symbol."""

    name: str
    """Its name."""

    kind: str
    """The kind: function, struct, key, ..."""

    line: int
    """The line of its name, from 1."""

    locate: str | dict[str, Any]
    """A locator that resolves only to it."""

    symbols: tuple[SymbolListed, ...] = ()
    """The symbols in it."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> SymbolListed:
        """Reads the JSON form of the answer."""
        return SymbolListed(
            name=data["name"],
            kind=data["kind"],
            line=data["line"],
            locate=data["locate"],
            symbols=tuple([SymbolListed.from_json(one) for one in data.get("symbols", ())]),
        )


@dataclass(frozen=True, kw_only=True)
class SymbolsFound:
    """Symbols of the workspace."""

    success: bool
    """Whether there is an answer."""

    completeness: Known
    """Whether it is complete."""

    completeness_reason: str | None = None
    """Why it is incomplete."""

    parse_error: str | None = None
    """Why there is no answer: `code: message`."""

    notes: tuple[str, ...] = ()
    """What was omitted."""

    symbol_count: int
    """The total number."""

    symbols: tuple[SymbolFound, ...]
    """The first of them."""

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> SymbolsFound:
        """Reads the JSON form of the answer."""
        return SymbolsFound(
            success=data["success"],
            completeness=data["completeness"],
            completeness_reason=data.get("completeness_reason"),
            parse_error=data.get("parse_error"),
            notes=tuple(data.get("notes", ())),
            symbol_count=data["symbol_count"],
            symbols=tuple([SymbolFound.from_json(one) for one in data["symbols"]]),
        )

