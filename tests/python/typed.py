"""A program that mypy and pyright accept in their strict modes. A line that ends with `# wrong` is an error for both."""

from collections.abc import Iterable

import treegraft


def lines_added(files: Iterable[treegraft.FileEdited]) -> int:
    return sum(file.added_lines for file in files)


def preview(engine: treegraft.Engine) -> tuple[str, int]:
    selector: treegraft.Selector = {"anchor_text": "30", "ancestor_node_type": "integer"}
    staged = engine.replace_node("api.py", selector, "60", allow=["syntax_errors"])
    edits: list[treegraft.NodeEdit] = [{"op": "delete", "file_path": "a.py", "selector": "function@def f"}]
    deleted: treegraft.EditMade = engine.edit_nodes(edits, apply=True)
    status: treegraft.EditStatus = deleted.status
    assert status == "applied"
    return staged.diff, lines_added(staged.files)


def first_call(refusal: treegraft.Refusal) -> str | None:
    code: treegraft.Code = refusal.code
    if code == "anchor_not_found":
        return refusal.suggestions[0].tool
    return refusal.help


def names(symbols: Iterable[treegraft.SymbolListed]) -> list[str]:
    return [name for symbol in symbols for name in [symbol.name, *names(symbol.symbols)]]


def outline(engine: treegraft.Engine) -> list[str]:
    with engine as opened:
        return [name for file in opened.outline("src", depth=2).files for name in names(file.symbols)]


def edited(text: str | bytes) -> str:
    first: treegraft.Edited = treegraft.edit(text, "python", "integer@30", "replace", "60")
    second = treegraft.rewrite(first.text, "python", "limit($A)", "limit($A, None)")
    replaced: int = second.matches.replaced if second.matches else 0
    place = treegraft.locate(second.text, "python", "limit").position
    line: int = place.line if place is not None else replaced
    found: treegraft.NodesFound = treegraft.find(second.text, "python", node_type="function")
    moved = treegraft.edit(text, "rust", "function@f", "move", to={"selector": "function@g", "position": "before"})
    return f"{second.digest} {line} {len(found.matches)} {moved.diff}"


def wrong(engine: treegraft.Engine) -> None:
    engine.replace_node("api.py", "integer@30")  # wrong
    engine.replace_node("api.py", "integer@30", 60)  # wrong
    engine.replace_node("api.py", "integer@30", "60", indent="tabs")  # wrong
    engine.replace_node("api.py", {"anchor": "30"}, "60")  # wrong
    engine.edit_nodes([{"op": "remove", "selector": "integer@30"}])  # wrong
    engine.outline("src", level=2)  # wrong
    engine.apply_edit(engine.list_edits().edits[0])  # wrong
    engine.outline("src").files[0].path  # wrong
    engine.outline("src").files_looked_at = 1  # wrong
    code: treegraft.Code = "no_such_code"  # wrong
    treegraft.Engine(root=1)  # wrong
    treegraft.edit("f(1)", "python", "integer@1", "remove")  # wrong
    treegraft.edit("f(1)", "python", "integer@1", "insert", "2", position="above")  # wrong
    treegraft.edit(1, "python", "integer@1", "delete")  # wrong
    treegraft.rewrite("f(1)", "python", "f($A)", "g($A)").matches.replaced  # wrong
    treegraft.locate("f(1)", "python", position=(1, "1"))  # wrong
    del code
