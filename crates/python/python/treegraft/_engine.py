"""`Engine`, generated from the tools of the library.

`TREEGRAFT_RECORD=1 cargo test -p treegraft-cli --test main --all-features -- python::` writes this file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from ._answers import (
    Actions,
    Completed,
    Definitions,
    Diagnosed,
    EditDiscarded,
    EditList,
    EditMade,
    Hovered,
    Located,
    NodeRead,
    NodesFound,
    Outlined,
    References,
    Signatures,
    SymbolsFound,
)
from ._base import EngineBase

Answer = (
    Actions
    | Completed
    | Definitions
    | Diagnosed
    | EditDiscarded
    | EditList
    | EditMade
    | Hovered
    | Located
    | NodeRead
    | NodesFound
    | Outlined
    | References
    | Signatures
    | SymbolsFound
)
"""The answer of any tool."""


class Selector(TypedDict, total=False):
    """Selects one node."""

    anchor_text: str
    """Exact text in the node."""

    find: str
    """Instead: whitespace between tokens may differ; `<|>` marks a token."""

    pattern: str
    """Instead: as in find_nodes; needs no type."""

    ancestor_node_type: str
    """Type of the node at or around the anchor: a tree-sitter type or a general word (function, class, argument, ...).
    """

    scope: Mapping[str, object]
    """Where to look: {"symbol_path": ["Server", "handle"]}, {"line": 42} or {"line": [10, 20]}."""

    nth: int
    """n-th candidate, from 1, in file order."""

    outward: int
    """n-th further enclosing node of the type."""

    sibling: int
    """n-th following sibling; preceding, if negative."""


class BlankLines(TypedDict, total=False):
    """The exact numbers of blank lines around inserted text."""

    before: int
    """Before the content."""

    after: int
    """After the content."""


class Destination(TypedDict, total=False):
    """The destination of a moved node."""

    file_path: str
    """The file; default: that of the node."""

    selector: str | Selector
    """The node to move next to or into."""

    position: Literal["before", "after", "first_child", "last_child"]
    """Next to that node, or first or last inside its body."""

    create: str
    """The first content of the file, if it does not exist."""


class NodeEdit(TypedDict, total=False):
    """An edit of `edit_nodes`. Each operation takes the arguments of its tool."""

    op: Literal["replace", "replace_text", "insert", "delete", "wrap", "move", "create_file", "delete_file", "move_file", "organize_file"]
    """Default: replace, or replace_text with find."""

    file_path: str | Sequence[str]
    """The file, relative to the workspace, or several: a list or a glob; if empty, that of the request, else that of
    the previous edit.
    """

    selector: str | Selector
    """Which node, as in replace_node; for replace_text its `find` and `scope`."""

    selectors: Sequence[str | Selector]
    """Instead of `selector`: several nodes, each of which is edited in the same way."""

    indent: Literal["auto", "verbatim"]
    """How to indent the content; default: the `indent` of the request."""

    expect_matches: int
    """The number of nodes that the selectors match in all files; all of them are edited."""

    new_content: str
    """The whole new text of the node."""

    include_attached: bool
    """true: doc comments and attributes before the node are replaced too."""

    position: Literal["before", "after", "first_child", "last_child"]
    """Before or after the node, or first or last inside its body."""

    blank_lines: BlankLines
    """The exact numbers of blank lines."""

    create: str
    """The first content of the file, if it does not exist."""

    unused: bool
    """As in delete_node."""

    to: Destination | str
    """The destination."""

    find: str
    """The text; whitespace between tokens may differ. Two `<|>` enclose what to replace; `<..>` matches text with
    balanced brackets.
    """

    scope: Mapping[str, object]
    """As in a selector."""


class Engine(EngineBase):
    """Edits and reads the files below its roots. Each tool is a method.

    Edits are staged: a method such as `replace_node` returns a preview with an `edit_id`, and `apply_edit` writes it.
    With `apply=True` it is written at once. Several threads may use one engine at the same time.
    """

    __slots__ = ()

    def outline(
        self,
        path: str | Sequence[str] | None = None,
        *,
        depth: int | None = None,
        kinds: Sequence[str] | None = None,
        rank: bool = False,
        max_items: int | None = None,
        max_bytes: int | None = None,
        cursor: str | None = None,
    ) -> Outlined:
        """Lists the symbols of a file, directory or glob with locators; summarizes directories if they do not fit.

        Example:
            engine.outline(path="src")

        Args:
            path: File, directory or glob (`src/**/*.rs`), or a list.
            depth: Levels; default: all in one file, else 2.
            kinds: Only function, class, ...
            rank: Most referenced first.
            max_items: Default 200.
            max_bytes: Limits the text.
            cursor: From the previous page.
        """
        arguments: dict[str, object] = {
            "path": path,
            "depth": depth,
            "kinds": kinds,
            "rank": rank or None,
            "max_items": max_items,
            "max_bytes": max_bytes,
            "cursor": cursor,
        }
        return self._call(Outlined, "outline", arguments)

    def locate(
        self,
        locate: str | Mapping[str, object] | None = None,
        *,
        file_path: str | None = None,
        position: str | Mapping[str, object] | None = None,
        range: Mapping[str, object] | None = None,
    ) -> Located:
        """Returns the line and character of a symbol, of lines or of a text, or the locator and selector of a position
        such as src/server.rs:42:10 in a compiler error.

        Edits need no position.

        Example:
            engine.locate(locate="src/server.rs:Server.handle@return <|>response")

        Args:
            locate: A locator: `path:scope@find`, scope and find optional. Scope is a symbol path, `42` or `10-20`;
                `<|>` in find marks the point. Or a position as compilers print it: `src/a.rs:42:10: error`.
            file_path: The file, relative to the workspace.
            position: Instead: {line, character}, from 1.
            range: Or {start, end}; end is exclusive.
        """
        arguments: dict[str, object] = {
            "locate": locate,
            "file_path": file_path,
            "position": position,
            "range": range,
        }
        return self._call(Located, "locate", arguments)

    def read_node(
        self,
        file_path: str | None = None,
        selector: str | Selector | None = None,
        *,
        lines: str | None = None,
        locate: str | Mapping[str, object] | None = None,
        max_bytes: int | None = None,
    ) -> NodeRead:
        """Reads one syntax node and lists its ancestors: to look before an edit, or to learn the node types.

        Example:
            engine.read_node(file_path="src/server.rs", selector="@Method::POST =>")

        Args:
            file_path: The file, relative to the workspace.
            selector: As in an edit; without a type, the smallest at the text.
            lines: Instead: 10-20.
            locate: Instead: a locator; reads the symbol or smallest node there.
            max_bytes: Limits the text; default 12000.
        """
        arguments: dict[str, object] = {
            "file_path": file_path,
            "selector": selector,
            "lines": lines,
            "locate": locate,
            "max_bytes": max_bytes,
        }
        return self._call(NodeRead, "read_node", arguments)

    def find_nodes(
        self,
        path: str | Sequence[str] | None = None,
        *,
        text: str | None = None,
        regex: str | None = None,
        node_type: str | None = None,
        name: str | None = None,
        query: str | None = None,
        pattern: str | None = None,
        reading: str | None = None,
        quotes: Literal["exact"] | None = None,
        rule: str | Mapping[str, object] | None = None,
        scope: Mapping[str, object] | None = None,
        symbol_kind: str | None = None,
        max_items: int | None = None,
        cursor: str | None = None,
    ) -> NodesFound:
        """Finds nodes in a file, a directory or a glob, each with a selector for the other tools.

        Example:
            engine.find_nodes(path="src", text="timeout(", node_type="call")

        Args:
            path: As in outline.
            text: Exact text.
            regex: `^` and `$` match at line ends.
            node_type: Type or general word; with text, regex or name, of the enclosing node.
            name: Symbol name; `*` matches any text.
            query: tree-sitter query; the first capture is the node.
            pattern: Code; `$A` matches a node, `$$$A` several.
            rule: ast-grep rule: YAML, object or {path}.
            scope: Only in symbols with this path, or its end.
            symbol_kind: Only in symbols of this kind: function, class.
            max_items: Default 50, or as many as fit in 12,000 bytes.
        """
        arguments: dict[str, object] = {
            "path": path,
            "text": text,
            "regex": regex,
            "node_type": node_type,
            "name": name,
            "query": query,
            "pattern": pattern,
            "reading": reading,
            "quotes": quotes,
            "rule": rule,
            "scope": scope,
            "symbol_kind": symbol_kind,
            "max_items": max_items,
            "cursor": cursor,
        }
        return self._call(NodesFound, "find_nodes", arguments)

    def replace_node(
        self,
        file_path: str,
        selector: str | Selector,
        new_content: str,
        *,
        include_attached: bool = False,
        indent: Literal["auto", "verbatim"] | None = None,
        imports: object | None = None,
        allow: Sequence[Literal["syntax_errors", "surroundings", "suspicious_content"]] | None = None,
        apply: bool = False,
        diff: Literal["full"] | None = None,
    ) -> EditMade:
        """Replaces one syntax node.

        Returns the diff and an edit_id for apply_edit; writes nothing unless apply is true. If the selector does not
        match exactly one node, the refusal suggests calls that work.

        Example:
            engine.replace_node(
                file_path="src/server.rs",
                selector={"anchor_text": "POST =>", "ancestor_node_type": "match_arm"},
                new_content="POST => create(),",
            )

        Args:
            file_path: The file, relative to the workspace.
            selector: As a string: `[scope:][type]@text`, such as `Server.run:match_arm@POST =>`, or a symbol:
                `Server.run`; after `path:`, instead of file_path.
            new_content: The whole new text of the node, at column 0 or indented as in the file.
            include_attached: Also replace doc comments and attributes.
            indent: `verbatim` keeps the indentation of new_content.
            imports: true: add and remove import statements; {name: module} chooses.
            allow: Checks whose failure becomes a note.
            apply: Write at once, without a preview.
            diff: `full`: also show a written edit's diff.
        """
        arguments: dict[str, object] = {
            "file_path": file_path,
            "selector": selector,
            "new_content": new_content,
            "include_attached": include_attached or None,
            "indent": indent,
            "imports": imports,
            "allow": allow,
            "apply": apply or None,
            "diff": diff,
        }
        return self._call(EditMade, "replace_node", arguments)

    def replace_text(
        self,
        file_path: str,
        find: str,
        new_content: str,
        *,
        scope: Mapping[str, object] | None = None,
        indent: Literal["auto", "verbatim"] | None = None,
        imports: bool = False,
        allow: Sequence[Literal["syntax_errors", "surroundings", "suspicious_content"]] | None = None,
        apply: bool = False,
        diff: Literal["full"] | None = None,
    ) -> EditMade:
        """Replaces the only match of find: the cheapest way to edit a few words or lines.

        For a node, use replace_node.

        Example:
            engine.replace_text(file_path="src/server.rs", find="timeout(<|>30<|>)", new_content="60")

        Args:
            file_path: The file, relative to the workspace.
            scope: As in a selector.
            find: The text; whitespace between tokens may differ. Two `<|>` enclose what to replace; `<..>` matches text
                with balanced brackets.
            new_content: Written as sent; lines at column 0 become as deep as the old ones.
            indent: As in replace_node.
            allow: Checks whose failure becomes a note.
            apply: true: write at once.
        """
        arguments: dict[str, object] = {
            "file_path": file_path,
            "scope": scope,
            "find": find,
            "new_content": new_content,
            "indent": indent,
            "imports": imports or None,
            "allow": allow,
            "apply": apply or None,
            "diff": diff,
        }
        return self._call(EditMade, "replace_text", arguments)

    def insert_node(
        self,
        file_path: str,
        selector: str | Selector,
        position: Literal["before", "after", "first_child", "last_child"],
        new_content: str,
        *,
        blank_lines: BlankLines | None = None,
        create: str | None = None,
        indent: Literal["auto", "verbatim"] | None = None,
        imports: bool = False,
        allow: Sequence[Literal["syntax_errors", "surroundings", "suspicious_content"]] | None = None,
        apply: bool = False,
        diff: Literal["full"] | None = None,
    ) -> EditMade:
        """Inserts new_content before or after a node, or first or last inside its body; otherwise like replace_node.

        Example:
            engine.insert_node(
                file_path="src/server.rs",
                selector="Server:impl_item",
                position="last_child",
                new_content="fn stop(self) {}",
            )

        Args:
            file_path: The file, relative to the workspace.
            selector: As a string: `[scope:][type]@text`, such as `Server.run:match_arm@POST =>`, or a symbol:
                `Server.run`; after `path:`, instead of file_path.
            position: Next to the node, or first or last inside its body.
            new_content: Its indentation is adjusted.
            blank_lines: {before, after}; default: as between the siblings.
            create: First content of a new file.
            indent: As in replace_node.
            allow: Checks whose failure becomes a note.
            apply: true: write at once.
        """
        arguments: dict[str, object] = {
            "file_path": file_path,
            "selector": selector,
            "position": position,
            "new_content": new_content,
            "blank_lines": blank_lines,
            "create": create,
            "indent": indent,
            "imports": imports or None,
            "allow": allow,
            "apply": apply or None,
            "diff": diff,
        }
        return self._call(EditMade, "insert_node", arguments)

    def delete_node(
        self,
        file_path: str,
        selector: str | Selector,
        *,
        unused: bool = False,
        imports: bool = False,
        allow: Sequence[Literal["syntax_errors", "surroundings", "suspicious_content"]] | None = None,
        apply: bool = False,
        diff: Literal["full"] | None = None,
    ) -> EditMade:
        """Deletes a node with doc comments, attributes and comma; otherwise like replace_node.

        unused: true refuses what is used.

        Example:
            engine.delete_node(file_path="package.json", selector="pair@\\"left-pad\\"")

        Args:
            file_path: The file, relative to the workspace.
            selector: As a string: `[scope:][type]@text`, such as `Server.run:match_arm@POST =>`, or a symbol:
                `Server.run`; after `path:`, instead of file_path.
            unused: true: refuse while something uses it.
            allow: Checks whose failure becomes a note.
            apply: true: write at once.
        """
        arguments: dict[str, object] = {
            "file_path": file_path,
            "selector": selector,
            "unused": unused or None,
            "imports": imports or None,
            "allow": allow,
            "apply": apply or None,
            "diff": diff,
        }
        return self._call(EditMade, "delete_node", arguments)

    def wrap_node(
        self,
        file_path: str,
        selector: str | Selector,
        new_content: str,
        *,
        indent: Literal["auto", "verbatim"] | None = None,
        imports: bool = False,
        allow: Sequence[Literal["syntax_errors", "surroundings", "suspicious_content"]] | None = None,
        apply: bool = False,
        diff: Literal["full"] | None = None,
    ) -> EditMade:
        """Wraps a node in new_content, with `<|>` in place of its text.

        Example:
            engine.wrap_node(
                file_path="src/server.rs",
                selector="statement@send(reply)",
                new_content="if ready {\\n    <|>\\n}",
            )

        Args:
            file_path: The file, relative to the workspace.
            selector: As a string: `[scope:][type]@text`, such as `Server.run:match_arm@POST =>`, or a symbol:
                `Server.run`; after `path:`, instead of file_path.
            new_content: Text with `<|>` in place of the node.
            indent: As in replace_node.
            allow: Checks whose failure becomes a note.
            apply: true: write at once.
        """
        arguments: dict[str, object] = {
            "file_path": file_path,
            "selector": selector,
            "new_content": new_content,
            "indent": indent,
            "imports": imports or None,
            "allow": allow,
            "apply": apply or None,
            "diff": diff,
        }
        return self._call(EditMade, "wrap_node", arguments)

    def move_node(
        self,
        file_path: str,
        selector: str | Selector,
        to: Destination,
        *,
        imports: bool = False,
        indent: Literal["auto", "verbatim"] | None = None,
        allow: Sequence[Literal["syntax_errors", "surroundings", "suspicious_content"]] | None = None,
        apply: bool = False,
        diff: Literal["full"] | None = None,
    ) -> EditMade:
        """Moves a node with doc comments and attributes next to or into another node, in any file; imports: true
        updates all imports.

        Example:
            engine.move_node(
                file_path="src/server.rs",
                selector="helper",
                to={"selector": "main", "position": "before"},
            )

        Args:
            file_path: The file, relative to the workspace.
            selector: As a string: `[scope:][type]@text`, such as `Server.run:match_arm@POST =>`, or a symbol:
                `Server.run`; after `path:`, instead of file_path.
            indent: As in replace_node.
            allow: Checks whose failure becomes a note.
            apply: true: write at once.
        """
        arguments: dict[str, object] = {
            "file_path": file_path,
            "selector": selector,
            "to": to,
            "imports": imports or None,
            "indent": indent,
            "allow": allow,
            "apply": apply or None,
            "diff": diff,
        }
        return self._call(EditMade, "move_node", arguments)

    def edit_nodes(
        self,
        edits: Sequence[NodeEdit],
        *,
        file_path: str | Sequence[str] | None = None,
        indent: Literal["auto", "verbatim"] | None = None,
        imports: bool = False,
        allow: Sequence[Literal["syntax_errors", "surroundings", "suspicious_content"]] | None = None,
        apply: bool = False,
        diff: Literal["full"] | None = None,
    ) -> EditMade:
        """Makes several edits, all or none.

        Each may name several files or nodes. imports: true: import statements follow.

        Example:
            engine.edit_nodes(
                edits=[{"file_path": "src/a.rs", "find": "timeout(30)", "new_content": "timeout(60)"}, {"file_path": "src/**/*.rs", "op": "delete", "selector": "old"}],
            )

        Args:
            file_path: Default of the edits.
            edits: As in the tool of the op; selectors apply to the text before the call.
            indent: As in replace_node, for all edits without their own.
            allow: Checks whose failure becomes a note.
            apply: true: write at once.
        """
        arguments: dict[str, object] = {
            "file_path": file_path,
            "edits": edits,
            "indent": indent,
            "imports": imports or None,
            "allow": allow,
            "apply": apply or None,
            "diff": diff,
        }
        return self._call(EditMade, "edit_nodes", arguments)

    def rewrite(
        self,
        pattern: str | None = None,
        new_content: str | None = None,
        path: str | Sequence[str] | None = None,
        *,
        rule: str | Mapping[str, object] | None = None,
        like: str | None = None,
        language: str | None = None,
        reading: str | None = None,
        quotes: Literal["exact"] | None = None,
        outermost: bool = False,
        scope: Mapping[str, object] | None = None,
        symbol_kind: str | None = None,
        skip: Sequence[int] | None = None,
        only: Sequence[int] | None = None,
        expect_matches: int | None = None,
        max_files: int | None = None,
        skip_failing: bool = False,
        imports: bool = False,
        allow: Sequence[Literal["syntax_errors", "surroundings", "suspicious_content"]] | None = None,
        apply: bool = False,
        diff: Literal["full"] | None = None,
    ) -> EditMade:
        """Replaces every match of a pattern in many files, as one edit.

        Example:
            engine.rewrite(path="src", pattern="timeout($A)", new_content="timeout($A, None)")

        Args:
            pattern: As in find_nodes.
            like: An edit id: makes it elsewhere too.
            new_content: May contain `$A` and `$$$A`; empty deletes. Default: the rule's fix.
            path: As in find_nodes.
            skip: Numbers to leave out; also in amend_edit.
            expect_matches: Refuses another number.
            allow: Checks whose failure becomes a note.
            apply: true: write at once.
        """
        arguments: dict[str, object] = {
            "pattern": pattern,
            "rule": rule,
            "like": like,
            "language": language,
            "reading": reading,
            "quotes": quotes,
            "outermost": outermost or None,
            "new_content": new_content,
            "path": path,
            "scope": scope,
            "symbol_kind": symbol_kind,
            "skip": skip,
            "only": only,
            "expect_matches": expect_matches,
            "max_files": max_files,
            "skip_failing": skip_failing or None,
            "imports": imports or None,
            "allow": allow,
            "apply": apply or None,
            "diff": diff,
        }
        return self._call(EditMade, "rewrite", arguments)

    def apply_edit(
        self,
        edit_id: str,
        *,
        diff: Literal["full"] | None = None,
        rebase: Literal["auto"] | None = None,
    ) -> EditMade:
        """Writes exactly what a preview showed, or refuses if the edited code changed since.

        Example:
            engine.apply_edit(edit_id="edbde52b9d658")
        """
        arguments: dict[str, object] = {
            "edit_id": edit_id,
            "diff": diff,
            "rebase": rebase,
        }
        return self._call(EditMade, "apply_edit", arguments)

    def undo_edit(
        self,
        edit_id: str,
        *,
        preview: bool = False,
        diff: Literal["full"] | None = None,
    ) -> EditMade:
        """Undoes an applied edit and nothing else; refuses if its text changed since.

        Example:
            engine.undo_edit(edit_id="edbde52b9d658")
        """
        arguments: dict[str, object] = {
            "edit_id": edit_id,
            "preview": preview or None,
            "diff": diff,
        }
        return self._call(EditMade, "undo_edit", arguments)

    def amend_edit(
        self,
        edit_id: str,
        *,
        edit_index: int | None = None,
        selector: str | Selector | None = None,
        find: str | None = None,
        to: str | Destination | None = None,
        position: str | None = None,
        new_content: str | None = None,
        file_path: str | Sequence[str] | None = None,
        op: str | None = None,
        indent: Literal["auto", "verbatim"] | None = None,
        allow: Sequence[Literal["syntax_errors", "surroundings", "suspicious_content"]] | None = None,
        edits: Sequence[Mapping[str, object]] | None = None,
        apply: bool = False,
        diff: Literal["full"] | None = None,
    ) -> EditMade:
        """Changes only the given fields of a refused or previewed edit and previews it again.

        Example:
            engine.amend_edit(edit_id="edbde52b9d658", selector="match_arm@Method::PUT =>")

        Args:
            edit_index: Which edit of edit_nodes, from 0.
            selector: New selector, or only its fields to change.
            to: For a move: likewise.
            file_path: New file.
            indent: `verbatim` keeps the indentation of new_content.
            allow: Checks whose failure becomes a note.
            edits: Several: {edit_index, ...} each.
            apply: Default: as in the refused call.
        """
        arguments: dict[str, object] = {
            "edit_id": edit_id,
            "edit_index": edit_index,
            "selector": selector,
            "find": find,
            "to": to,
            "position": position,
            "new_content": new_content,
            "file_path": file_path,
            "op": op,
            "indent": indent,
            "allow": allow,
            "edits": edits,
            "apply": apply or None,
            "diff": diff,
        }
        return self._call(EditMade, "amend_edit", arguments)

    def discard_edit(
        self,
        edit_id: str,
    ) -> EditDiscarded:
        """Discards a previewed or refused edit; no file changes.

        Example:
            engine.discard_edit(edit_id="edbde52b9d658")
        """
        arguments: dict[str, object] = {
            "edit_id": edit_id,
        }
        return self._call(EditDiscarded, "discard_edit", arguments)

    def list_edits(
        self,
        edit_id: str | None = None,
    ) -> EditList:
        """Lists pending and recently applied edits; with edit_id, shows one with its diff.

        Example:
            engine.list_edits()
        """
        arguments: dict[str, object] = {
            "edit_id": edit_id,
        }
        return self._call(EditList, "list_edits", arguments)

    def goto_definition(
        self,
        locate: str | Mapping[str, object] | None = None,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        symbol: str | None = None,
        kind: Literal["definition", "declaration", "type", "implementation"] | None = None,
    ) -> Definitions:
        """Finds the definition of a name with the language server, also where text search finds many matches or none.

        Needs a language server.

        Example:
            engine.goto_definition(locate="app.py:main@<|>Store(")

        Args:
            locate: The place, as in locate: `src/a.py:Server.handle@<|>send`.
            file: Instead of locate: the file.
            line: Line, from 1.
            column: Character, from 1.
            symbol: Name on that line, nearest to column.
            kind: Default definition.
        """
        arguments: dict[str, object] = {
            "locate": locate,
            "file": file,
            "line": line,
            "column": column,
            "symbol": symbol,
            "kind": kind,
        }
        return self._call(Definitions, "goto_definition", arguments)

    def find_references(
        self,
        locate: str | Mapping[str, object] | None = None,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        symbol: str | None = None,
        kind: Literal["references", "callers", "callees", "subtypes", "supertypes"] | None = None,
        max_items: int | None = None,
        cursor: str | None = None,
    ) -> References:
        """Lists every use of a name with the language server, not other symbols of that name.

        To search for text, find_nodes is faster. Check completeness before you rely on it. Needs a language server.

        Example:
            engine.find_references(locate="store.py:Store.get")

        Args:
            locate: The place, as in locate: `src/a.py:Server.handle@<|>send`.
            file: Instead of locate: the file.
            line: Line, from 1.
            column: Character, from 1.
            symbol: Name on that line, nearest to column.
            kind: Default references.
            max_items: Default 50.
            cursor: From the previous page.
        """
        arguments: dict[str, object] = {
            "locate": locate,
            "file": file,
            "line": line,
            "column": column,
            "symbol": symbol,
            "kind": kind,
            "max_items": max_items,
            "cursor": cursor,
        }
        return self._call(References, "find_references", arguments)

    def hover(
        self,
        locate: str | Mapping[str, object] | None = None,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        symbol: str | None = None,
    ) -> Hovered:
        """Returns the type, signature and documentation of a name.

        Needs a language server.

        Example:
            engine.hover(file="app.py", line=5, symbol="store")

        Args:
            locate: The place, as in locate: `src/a.py:Server.handle@<|>send`.
            file: Instead of locate: the file.
            line: Line, from 1.
            column: Character, from 1.
            symbol: Name on that line, nearest to column.
        """
        arguments: dict[str, object] = {
            "locate": locate,
            "file": file,
            "line": line,
            "column": column,
            "symbol": symbol,
        }
        return self._call(Hovered, "hover", arguments)

    def diagnostics(
        self,
        path: str | Sequence[str],
        *,
        max_items: int | None = None,
    ) -> Diagnosed:
        """Lists errors and warnings in files, from the compiler or type checker.

        Call it after edits. Needs a language server.

        Example:
            engine.diagnostics(path="app.py")

        Args:
            path: A file, a directory or a glob, or a list.
            max_items: Default 50.
        """
        arguments: dict[str, object] = {
            "path": path,
            "max_items": max_items,
        }
        return self._call(Diagnosed, "diagnostics", arguments)

    def workspace_symbols(
        self,
        query: str,
        *,
        max_items: int | None = None,
    ) -> SymbolsFound:
        """Finds symbols in the whole workspace by part of their name.

        Needs a language server.

        Example:
            engine.workspace_symbols(query="Store")

        Args:
            query: Part of the name.
            max_items: Default 50.
        """
        arguments: dict[str, object] = {
            "query": query,
            "max_items": max_items,
        }
        return self._call(SymbolsFound, "workspace_symbols", arguments)

    def rename_symbol(
        self,
        new_name: str,
        *,
        locate: str | Mapping[str, object] | None = None,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        symbol: str | None = None,
        complete: bool = False,
        allow: Sequence[Literal["incomplete", "surroundings"]] | None = None,
        apply: bool = False,
        diff: Literal["full"] | None = None,
    ) -> EditMade:
        """Renames a symbol in every file that uses it, or refuses and lists the places that would keep the old name.

        Needs a language server.

        Example:
            engine.rename_symbol(locate="store.py:Store.get", new_name="fetch")

        Args:
            locate: The place, as in locate: `src/a.py:Server.handle@<|>send`.
            file: Instead of locate: the file.
            line: Line, from 1.
            column: Character, from 1.
            symbol: Name on that line, nearest to column.
            new_name: The new name.
            complete: true: also rename the uses that the server leaves out.
            allow: Checks that may fail. `incomplete`: some uses keep the old name; `surroundings`: the new name is in
                use.
            apply: true: write at once.
        """
        arguments: dict[str, object] = {
            "locate": locate,
            "file": file,
            "line": line,
            "column": column,
            "symbol": symbol,
            "new_name": new_name,
            "complete": complete or None,
            "allow": allow,
            "apply": apply or None,
            "diff": diff,
        }
        return self._call(EditMade, "rename_symbol", arguments)

    def code_actions(
        self,
        locate: str | Mapping[str, object] | None = None,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        symbol: str | None = None,
        range: Mapping[str, object] | None = None,
        apply: str | None = None,
    ) -> Actions:
        """Lists fixes and refactorings that the language server suggests at a place; apply previews the one with that
        title.

        Needs a language server.

        Example:
            engine.code_actions(file="app.py", line=5, symbol="Store")

        Args:
            locate: The place, as in locate: `src/a.py:Server.handle@<|>send`.
            file: Instead of locate: the file.
            line: Line, from 1.
            column: Character, from 1.
            symbol: Name on that line, nearest to column.
            range: Instead of line: a range in `file`, {start, end} or `10:5-12:3`.
            apply: Preview the action with this title.
        """
        arguments: dict[str, object] = {
            "locate": locate,
            "file": file,
            "line": line,
            "column": column,
            "symbol": symbol,
            "range": range,
            "apply": apply,
        }
        return self._call(Actions, "code_actions", arguments)

    def format(
        self,
        file_path: str,
        *,
        lines: tuple[int, int] | None = None,
        apply: bool = False,
        diff: Literal["full"] | None = None,
    ) -> EditMade:
        """Previews the formatting of a file, or of some lines, by its language server.

        Needs a language server.

        Example:
            engine.format(file_path="app.py")

        Args:
            file_path: The file.
            lines: Only these lines: [first, last], from 1.
            apply: true: write at once.
        """
        arguments: dict[str, object] = {
            "file_path": file_path,
            "lines": lines,
            "apply": apply or None,
            "diff": diff,
        }
        return self._call(EditMade, "format", arguments)

    def completions(
        self,
        locate: str | Mapping[str, object] | None = None,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        symbol: str | None = None,
        max_items: int | None = None,
    ) -> Completed:
        """Lists completions at a place, such as the members after a dot.

        Needs a language server.

        Example:
            engine.completions(locate="app.py:main@store.<|>get")

        Args:
            locate: The place, as in locate: `src/a.py:Server.handle@<|>send`.
            file: Instead of locate: the file.
            line: Line, from 1.
            column: Character, from 1.
            symbol: Name on that line, nearest to column.
            max_items: Default 50.
        """
        arguments: dict[str, object] = {
            "locate": locate,
            "file": file,
            "line": line,
            "column": column,
            "symbol": symbol,
            "max_items": max_items,
        }
        return self._call(Completed, "completions", arguments)

    def signature_help(
        self,
        locate: str | Mapping[str, object] | None = None,
        *,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        symbol: str | None = None,
    ) -> Signatures:
        """Returns the signatures of a call; the place is after its opening bracket.

        Needs a language server.

        Example:
            engine.signature_help(locate="app.py:main@store.get(<|>1")

        Args:
            locate: The place, as in locate: `src/a.py:Server.handle@<|>send`.
            file: Instead of locate: the file.
            line: Line, from 1.
            column: Character, from 1.
            symbol: Name on that line, nearest to column.
        """
        arguments: dict[str, object] = {
            "locate": locate,
            "file": file,
            "line": line,
            "column": column,
            "symbol": symbol,
        }
        return self._call(Signatures, "signature_help", arguments)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Answer:
        """Makes a call by the name of its tool, such as a suggestion of a refusal."""
        # The library refuses an unknown tool.
        kind = _ANSWERS.get(tool, EditMade)
        return self._call(kind, tool, dict(arguments))


_ANSWERS: dict[str, type[Answer]] = {
    "outline": Outlined,
    "locate": Located,
    "read_node": NodeRead,
    "find_nodes": NodesFound,
    "replace_node": EditMade,
    "replace_text": EditMade,
    "insert_node": EditMade,
    "delete_node": EditMade,
    "wrap_node": EditMade,
    "move_node": EditMade,
    "edit_nodes": EditMade,
    "rewrite": EditMade,
    "apply_edit": EditMade,
    "undo_edit": EditMade,
    "amend_edit": EditMade,
    "discard_edit": EditDiscarded,
    "list_edits": EditList,
    "goto_definition": Definitions,
    "find_references": References,
    "hover": Hovered,
    "diagnostics": Diagnosed,
    "workspace_symbols": SymbolsFound,
    "rename_symbol": EditMade,
    "code_actions": Actions,
    "format": EditMade,
    "completions": Completed,
    "signature_help": Signatures,
}
