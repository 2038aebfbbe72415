"""The functions of the module: they take a text and return an answer, and read and write no file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ._answers import LanguageList, Located, NodeRead, NodesFound, NodeTypes, Outlined
from ._engine import BlankLines, Destination, NodeEdit, Selector
from ._native import Edited, call_on_text, edit_text
from ._native import languages as native_languages
from ._native import node_types as native_node_types

Text = str | bytes | bytearray
"""A text. Bytes must be UTF-8; others are refused (`not_utf8`)."""

Operation = Literal["replace", "replace_text", "insert", "delete", "wrap", "move"]
"""What `edit` does with the selected node."""

Allow = Literal["syntax_errors", "surroundings", "suspicious_content"]
"""A check whose failure becomes a note."""

_TOOLS: dict[str, str] = {
    "replace": "replace_node",
    "replace_text": "replace_text",
    "insert": "insert_node",
    "delete": "delete_node",
    "wrap": "wrap_node",
    "move": "move_node",
}


def edit(
    text: Text,
    language: str | None,
    selector: str | Selector,
    op: Operation = "replace",
    new_content: str | None = None,
    *,
    position: Literal["before", "after", "first_child", "last_child"] | None = None,
    to: Destination | None = None,
    blank_lines: BlankLines | None = None,
    include_attached: bool = False,
    indent: Literal["auto", "verbatim"] | None = None,
    allow: Sequence[Allow] | None = None,
    file_path: str | None = None,
) -> Edited:
    r"""Edits one node of a text, and checks the result.

    >>> edited = edit("fn answer() -> u8 { 41 }\n", "rust", "integer_literal@41", "replace", "42")
    >>> edited.text
    'fn answer() -> u8 { 42 }\n'
    >>> print(edited.diff, end="")
    --- a/text.rs
    +++ b/text.rs
    @@ -1 +1 @@
    -fn answer() -> u8 { 41 }
    +fn answer() -> u8 { 42 }

    An argument of a list brings its comma:

    >>> edit("start(1, 2)\n", "python", "integer@2", "insert", "3", position="after").text
    'start(1, 2, 3)\n'

    `replace_text` replaces the only match of a text. Two `<|>` enclose the part to replace:

    >>> edit("limit = 30\n", "python", "limit = <|>30<|>", "replace_text", "60").text
    'limit = 60\n'

    Args:
        text: The text.
        language: Its language, such as `python`; `languages` lists all. `None` to take it from `file_path`.
        selector: Which node. Short form, one string: `[scope:][type]@anchor_text`, such as `Server.handle:match_arm@POST`.
            For `replace_text`, the text to find.
        op: What to do with the node.
        new_content: The new text: of the node, of the insertion, or around the node with `<|>` in its place.
        position: For `insert`: next to the node, or first or last inside its body.
        to: For `move`: the destination.
        blank_lines: For `insert`: the exact numbers of blank lines.
        include_attached: For `replace`: also replace doc comments and attributes.
        indent: `verbatim` keeps the indentation of new_content.
        allow: Checks whose failure becomes a note.
        file_path: The name of the text in the diff.

    Raises:
        Refusal: The selector does not select exactly one node, or the result fails a check. The refusal suggests
            selectors that work.
    """
    tool = _TOOLS.get(op)
    if tool is None:
        raise ValueError(f"op is one of {', '.join(_TOOLS)}, not {op!r}")
    arguments: dict[str, Any] = {
        "new_content": new_content,
        "position": position,
        "to": to,
        "blank_lines": blank_lines,
        "include_attached": include_attached or None,
        "indent": indent,
        "allow": allow,
    }
    if op != "replace_text":
        arguments["selector"] = selector
    elif isinstance(selector, str):
        arguments["find"] = selector
    else:
        arguments.update(selector)
    return edit_text(tool, text, language, file_path, arguments)


def edit_nodes(
    text: Text,
    language: str | None,
    edits: Sequence[NodeEdit],
    *,
    indent: Literal["auto", "verbatim"] | None = None,
    allow: Sequence[Allow] | None = None,
    file_path: str | None = None,
) -> Edited:
    r"""Makes several edits of a text: all or none. All selectors apply to the text before the call.

    >>> edits: list[NodeEdit] = [
    ...     {"op": "replace", "selector": "integer@1", "new_content": "10"},
    ...     {"op": "delete", "selector": "argument@2"},
    ... ]
    >>> edit_nodes("start(1, 2, 3)\n", "python", edits).text
    'start(10, 3)\n'

    Raises:
        Refusal: One of the edits is refused, or two of them overlap.
    """
    arguments = {"edits": edits, "indent": indent, "allow": allow}
    return edit_text("edit_nodes", text, language, file_path, arguments)


def rewrite(
    text: Text,
    language: str | None,
    pattern: str | None = None,
    new_content: str | None = None,
    *,
    rule: str | Mapping[str, object] | None = None,
    scope: str | None = None,
    symbol_kind: str | None = None,
    skip: Sequence[int] | None = None,
    only: Sequence[int] | None = None,
    expect_matches: int | None = None,
    skip_failing: bool = False,
    allow: Sequence[Allow] | None = None,
    file_path: str | None = None,
) -> Edited:
    r"""Replaces every match of a pattern in a text.

    >>> rewritten = rewrite("fetch(a)\nfetch(b)\n", "python", "fetch($X)", "fetch($X, timeout=30)")
    >>> rewritten.text
    'fetch(a, timeout=30)\nfetch(b, timeout=30)\n'
    >>> rewritten.matches.replaced
    2
    >>> rewrite("other(a)\n", "python", "fetch($X)", "get($X)").changed
    False

    Args:
        text: The text.
        language: Its language; `None` to take it from `file_path`.
        pattern: Code; `$A` matches a node, `$$$A` several.
        new_content: May contain `$A` and `$$$A`; empty deletes. Default: the fix of the rule.
        rule: Instead of pattern: a rule of ast-grep, as YAML or as an object.
        scope: Only in symbols with this path, or its end.
        symbol_kind: Only in symbols of this kind.
        skip: Numbers of matches to leave out.
        only: Only these matches.
        expect_matches: Refuses another number.
        skip_failing: Leave out matches that a check refuses.
        allow: Checks whose failure becomes a note.
        file_path: The name of the text in the diff.

    Raises:
        Refusal: The pattern or the rule is invalid, or the result of a match fails a check.
    """
    arguments = {
        "pattern": pattern,
        "new_content": new_content,
        "rule": rule,
        "scope": scope,
        "symbol_kind": symbol_kind,
        "skip": skip,
        "only": only,
        "expect_matches": expect_matches,
        "skip_failing": skip_failing or None,
        "allow": allow,
    }
    return edit_text("rewrite", text, language, file_path, arguments)


def find(
    source: Text,
    language: str | None,
    /,
    pattern: str | None = None,
    *,
    text: str | None = None,
    regex: str | None = None,
    node_type: str | None = None,
    name: str | None = None,
    query: str | None = None,
    rule: str | Mapping[str, object] | None = None,
    scope: str | None = None,
    symbol_kind: str | None = None,
    max_items: int | None = None,
    file_path: str | None = None,
) -> NodesFound:
    r"""Finds nodes in a text by exactly one of pattern, text, regex, name, query and rule, or by node_type.

    >>> found = find("fetch(a)\nfetch(b)\n", "python", "fetch($X)")
    >>> [(match.line, match.captures[0].text) for match in found.matches]
    [(1, 'a'), (2, 'b')]

    Args:
        source: The text to search.
        language: Its language; `None` to take it from `file_path`.
        pattern: Code; `$A` matches a node, `$$$A` several.
        text: Exact text.
        regex: A regular expression; `^` and `$` match at line ends.
        node_type: Type or general word; with text, regex or name, of the enclosing node.
        name: Symbol name; `*` matches any text.
        query: A tree-sitter query; the first capture is the node.
        rule: A rule of ast-grep, as YAML or as an object.
        scope: Only in symbols with this path, or its end.
        symbol_kind: Only in symbols of this kind.
        max_items: The maximum number of matches.
        file_path: The name of the text in the answer.

    Raises:
        Refusal: The pattern, the query or the rule is invalid.
    """
    arguments = {
        "pattern": pattern,
        "text": text,
        "regex": regex,
        "node_type": node_type,
        "name": name,
        "query": query,
        "rule": rule,
        "scope": scope,
        "symbol_kind": symbol_kind,
        "max_items": max_items,
    }
    return call_on_text(NodesFound, "find_nodes", source, language, file_path, arguments)


def read(
    text: Text,
    language: str | None,
    selector: str | Selector | None = None,
    *,
    locate: str | Mapping[str, object] | None = None,
    file_path: str | None = None,
) -> NodeRead:
    r"""Reads one node of a text and lists its ancestors.

    >>> node = read("start(1, 2)\n", "python", "call@2")
    >>> (node.node.node_type, node.node.text, node.ancestors[0].node_type)
    ('call', 'start(1, 2)', 'expression_statement')

    Raises:
        Refusal: The selector does not select exactly one node.
    """
    arguments = {"selector": selector, "locate": locate}
    return call_on_text(NodeRead, "read_node", text, language, file_path, arguments)


def locate(
    text: Text,
    language: str | None,
    locate: str | Mapping[str, object] | None = None,
    *,
    position: tuple[int, int] | str | Mapping[str, object] | None = None,
    range: Mapping[str, object] | None = None,
    file_path: str | None = None,
) -> Located:
    r"""Returns the line and character of a symbol, of lines or of a part of a text, or the locator of a position.

    >>> place = locate("def f():\n    return 1\n", "python", "f@return <|>1")
    >>> (place.position.line, place.position.character)
    (2, 12)
    >>> place = locate("def f():\n    return 1\n", "python", position=(2, 12))
    >>> place.locate
    'text.py@1'
    >>> place.selector
    {'anchor_text': '1', 'ancestor_node_type': 'integer'}

    Args:
        text: The text.
        language: Its language; `None` to take it from `file_path`.
        locate: A locator: `scope@find`. Scope is a symbol path, `42` or `10-20`; `<|>` in find marks the point.
        position: Instead: line and character, from 1.
        range: Or {start, end}; end is exclusive.
        file_path: The name of the text in the answer.

    Raises:
        Refusal: The locator does not resolve to one place, or the position is not in the text.
    """
    at: str | Mapping[str, object] | None
    if isinstance(position, tuple):
        at = {"line": position[0], "character": position[1]}
    else:
        at = position
    arguments = {"locate": locate, "position": at, "range": range}
    return call_on_text(Located, "locate", text, language, file_path, arguments)


def outline(
    text: Text,
    language: str | None,
    *,
    depth: int | None = None,
    kinds: Sequence[str] | None = None,
    max_items: int | None = None,
    file_path: str | None = None,
) -> Outlined:
    r"""Lists the symbols of a text.

    >>> outlined = outline("class A:\n    def f(self): ...\n", "python")
    >>> [(symbol.name, [member.name for member in symbol.symbols]) for symbol in outlined.files[0].symbols]
    [('A', ['f'])]
    """
    arguments = {"depth": depth, "kinds": kinds, "max_items": max_items}
    return call_on_text(Outlined, "outline", text, language, file_path, arguments)


def languages() -> LanguageList:
    """Lists the languages that are built in.

    >>> "rust" in [language.name for language in languages().languages]
    True
    """
    return LanguageList.from_json(native_languages())


def node_types(language: str) -> NodeTypes:
    """Lists the node types of a language, each with an example and its general words.

    >>> "pair" in [one.node_type for one in node_types("json").node_types]
    True

    Raises:
        Refusal: The language is not built in (`unknown_language`).
    """
    return NodeTypes.from_json(native_node_types(language))
