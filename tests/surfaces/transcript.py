"""Drives `treegraft serve` with the official Python client, as an agent would.

    python tests/surfaces/transcript.py target/debug/treegraft

Prints a transcript of the conversation. Exits with status 1 and the reason at the first wrong answer.
"""

import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path

import anyio
import jsonschema
from mcp import MCPError
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

SECONDS_FOR_ALL = 120
SECONDS_FOR_ONE_CALL = 20

COUNTERS = """\
struct Hits(u32);

impl Hits {
    /// How many.
    fn count(&self) -> u32 {
        self.0
    }
}

struct Misses(u32);

impl Misses {
    fn count(&self) -> u32 {
        self.0
    }
}
"""

GREETING = 'fn greet() -> &\'static str {\r\n    "hello"\r\n}\r\n\r\nfn leave() {}\r\n'

TOOLS = {
    "outline",
    "find_nodes",
    "locate",
    "read_node",
    "replace_node",
    "insert_node",
    "delete_node",
    "edit_nodes",
    "replace_text",
    "rewrite",
    "wrap_node",
    "move_node",
    "apply_edit",
    "undo_edit",
    "discard_edit",
    "amend_edit",
    "list_edits",
}
READING_TOOLS = {"outline", "find_nodes", "locate", "read_node"}


class Mismatch(Exception):
    """A wrong answer."""


def check(holds, message, shown=None):
    if not holds:
        raise Mismatch(message if shown is None else f"{message}:\n{shown}")


class Conversation:
    """A client that validates every answer against the complete schema of the tool's answers."""

    def __init__(self, client, root):
        self.client = client
        self.root = root
        self.schemas = {}

    async def list_tools(self):
        listed = await self.client.list_tools()
        tools = {tool.name: tool for tool in listed.tools}
        check(set(tools) == TOOLS, "the list has other tools", sorted(tools))
        for name, tool in tools.items():
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            resource = await self.client.read_resource(f"treegraft://tools/{name}/output-schema")
            self.schemas[name] = json.loads(resource.contents[0].text)
            jsonschema.Draft202012Validator.check_schema(self.schemas[name])
            hints = tool.annotations
            check(tool.description, f"{name} has no description")
            check(hints.open_world_hint is False, f"{name} has openWorldHint")
            check(
                bool(hints.read_only_hint) is (name in READING_TOOLS),
                f"{name} has the wrong readOnlyHint",
                hints,
            )
        return listed

    async def call(self, tool, arguments):
        """Makes a call that succeeds and returns its structured content."""
        result = await self.client.call_tool(tool, arguments)
        text = result.content[0].text
        say(f"> {tool} {json.dumps(arguments, ensure_ascii=False)}")
        say(indented(text))
        check(not result.is_error, f"{tool} was refused", text)
        answer = result.structured_content
        check(isinstance(answer, dict), f"{tool} has no structured content", result)
        check("error" not in answer, f"{tool} succeeded with an error", answer)
        jsonschema.validate(answer, self.schemas[tool])
        return answer, text

    async def refused(self, tool, arguments, code):
        """Makes a call that is refused with this code and returns the error."""
        result = await self.client.call_tool(tool, arguments)
        text = result.content[0].text
        say(f"> {tool} {json.dumps(arguments, ensure_ascii=False)}")
        say(indented(text))
        check(result.is_error is True, f"{tool} was not refused", text)
        error = result.structured_content["error"]
        check(error["code"] == code, f"{tool} was refused with another code than {code}", text)
        check(code in text and error["message"] in text, "text and structure differ", text)
        return error, text

    def write(self, name, text):
        (self.root / name).write_bytes(text.encode())

    def expect(self, name, text, when):
        found = (self.root / name).read_bytes()
        check(
            found == text.encode(),
            f"{name} has the wrong text {when}",
            f"found    {found!r}\nexpected {text.encode()!r}",
        )


def say(text):
    print(text, flush=True)


def indented(text):
    return "\n".join(f"    {line}".rstrip() for line in text.rstrip("\n").split("\n"))


async def a_refusal_suggests_the_edit(talk):
    """An ambiguous selector; the first suggestion unchanged; the preview; the confirmation."""
    talk.write("counters.rs", COUNTERS)
    new = "fn count(&self) -> u32 {\n    self.0 + 1\n}"
    arguments = {
        "file_path": "counters.rs",
        "selector": {"anchor_text": "fn count", "ancestor_node_type": "function_item"},
        "new_content": new,
    }
    error, text = await talk.refused("replace_node", arguments, "ambiguous_target")
    check(len(error["candidates"]) == 2, "two candidates were expected", error)
    check(error["edit_id"] in text, "the text does not say where the content is kept", text)
    suggestion = error["suggestions"][0]
    check(suggestion["tool"] in talk.schemas, "an unknown tool is suggested", suggestion)

    preview, text = await talk.call(suggestion["tool"], suggestion["arguments"])
    check(preview["status"] == "previewed", "no preview", preview)
    diff = preview["files"][0]["diff"]
    check("-        self.0\n+        self.0 + 1\n" in diff, "another diff", diff)
    check(diff in text, "the text does not show the diff", text)
    check(preview["edit_id"] in text, "the text does not name the edit_id", text)
    talk.expect("counters.rs", COUNTERS, "after a preview")

    listed, _ = await talk.call("list_edits", {})
    check(
        preview["edit_id"] in [edit["edit_id"] for edit in listed["edits"]],
        "the preview is not listed",
        listed,
    )
    shown, text = await talk.call("list_edits", {"edit_id": preview["edit_id"]})
    check(shown["edits"][0]["diff"] == diff and diff in text, "another diff is listed", text)

    applied, _ = await talk.call("apply_edit", {"edit_id": preview["edit_id"]})
    check(applied["status"] == "applied", "not applied", applied)
    check("diff" not in applied["files"][0], "the diff is repeated", applied)
    digests = [edit["files"][0]["digest_after"] for edit in (preview, applied)]
    check(digests[0] == digests[1], "something else was applied", applied)
    talk.expect("counters.rs", COUNTERS.replace("self.0", "self.0 + 1", 1), "after apply_edit")
    await talk.refused("apply_edit", {"edit_id": preview["edit_id"]}, "edit_not_found")


async def a_statement_is_inserted_and_deleted(talk):
    """Inserted at a refused place, then next to the node that the refusal suggests; deleted again."""
    before = "fn run() {\n    let first = start(1);\n    stop(first);\n}\n"
    talk.write("run.rs", before)
    arguments = {
        "file_path": "run.rs",
        "selector": {"anchor_text": "start(1)", "ancestor_node_type": "call_expression"},
        "position": "After",
        "new_content": "log(first);",
    }
    error, _ = await talk.refused("insert_node", arguments, "breaks_syntax")
    suggestion = error["suggestions"][0]
    check("let_declaration" in suggestion["selects"], "another node is suggested", suggestion)
    preview, text = await talk.call(suggestion["tool"], suggestion["arguments"])
    check("would insert after let_declaration" in text, "wrong wording", text)
    talk.expect("run.rs", before, "after a preview")
    applied, text = await talk.call("apply_edit", {"edit_id": preview["edit_id"]})
    check(applied["files"][0]["action"] == "insert_after", "another action", applied)
    check("inserted after let_declaration" in text, "wrong wording", text)
    inserted = before.replace("    stop", "    log(first);\n    stop")
    talk.expect("run.rs", inserted, "after an insertion")

    selector = {"anchor_text": "log(first)", "ancestor_node_type": "expression_statement"}
    preview, text = await talk.call("delete_node", {"file_path": "run.rs", "selector": selector})
    check("would delete expression_statement" in text, "wrong wording", text)
    shown, _ = await talk.call("list_edits", {"edit_id": preview["edit_id"]})
    check(shown["edits"][0]["tool"] == "delete_node", "another tool is listed", shown)
    talk.expect("run.rs", inserted, "after a preview")
    await talk.call("apply_edit", {"edit_id": preview["edit_id"]})
    talk.expect("run.rs", before, "after a deletion")


async def a_changed_file_is_written_at_unchanged_places(talk):
    """Applied to the current text and reported as such; or refused with a fresh preview."""
    talk.write("counters.rs", COUNTERS)
    arguments = {
        "file_path": "counters.rs",
        "selector": {"anchor_text": "struct Hits", "ancestor_node_type": "struct_item"},
        "new_content": "struct Hits(u64);",
    }
    preview, _ = await talk.call("replace_node", arguments)
    changed = COUNTERS + "\nfn last() {}\n"
    talk.write("counters.rs", changed)
    applied, text = await talk.call("apply_edit", {"edit_id": preview["edit_id"]})
    check(applied["status"] == "rebased", "a changed file was written silently", applied)
    check("rebased" in text, "the text does not say so", text)
    talk.expect("counters.rs", changed.replace("u32", "u64", 1), "after a rebase")

    talk.write("counters.rs", COUNTERS)
    preview, _ = await talk.call("replace_node", arguments)
    changed = "// first\n" + COUNTERS + "// last\n"
    talk.write("counters.rs", changed)
    shown, text = await talk.call("apply_edit", {"edit_id": preview["edit_id"]})
    check(shown["status"] == "rebase_proposed", "changes on both sides", shown)
    check("nothing is written" in text, "the text does not say so", text)
    talk.expect("counters.rs", changed, "after a new preview")
    await talk.call("apply_edit", {"edit_id": preview["edit_id"]})
    talk.expect("counters.rs", changed.replace("u32", "u64", 1), "after the second apply")

    talk.write("counters.rs", COUNTERS)
    preview, _ = await talk.call("replace_node", arguments)
    changed = COUNTERS.replace("struct Hits(u32)", "pub struct Hits(u32)")
    talk.write("counters.rs", changed)
    error, _ = await talk.refused(
        "apply_edit", {"edit_id": preview["edit_id"], "rebase": "auto"}, "stale_edit"
    )
    talk.expect("counters.rs", changed, "after a refusal")
    suggestion = error["suggestions"][0]
    await talk.call(suggestion["tool"], suggestion["arguments"])
    talk.expect(
        "counters.rs", COUNTERS.replace("u32", "u64", 1), "after the suggested call"
    )


async def several_edits_are_applied_and_undone(talk):
    """Two files in one call, all or none; refused by number; undone exactly."""
    talk.write("counters.rs", COUNTERS)
    talk.write("greeting.rs", GREETING)
    struct = {"anchor_text": "struct Hits", "ancestor_node_type": "struct_item"}
    edits = [
        {"op": "replace", "file_path": "counters.rs", "selector": struct, "new_content": "struct Hits;"},
        {
            "op": "delete",
            "file_path": "greeting.rs",
            "selector": {"anchor_text": "fn Leave", "ancestor_node_type": "function_item"},
        },
    ]
    error, _ = await talk.refused("edit_nodes", {"edits": edits}, "anchor_not_found")
    check(error["edit_index"] == 1, "another edit is refused", error)
    talk.expect("counters.rs", COUNTERS, "after a refusal")
    suggestion = error["suggestions"][0]
    check(suggestion["arguments"]["edit_index"] == 1, "another edit is amended", suggestion)
    preview, text = await talk.call(suggestion["tool"], suggestion["arguments"])
    check(len(preview["files"]) == 2, "not both files are shown", preview)
    applied, _ = await talk.call("apply_edit", {"edit_id": preview["edit_id"]})
    check(applied["status"] == "applied", "not applied", applied)
    talk.expect("counters.rs", COUNTERS.replace("struct Hits(u32);", "struct Hits;"), "of both")
    talk.expect("greeting.rs", GREETING.replace("\r\n\r\nfn leave() {}", ""), "of both")
    undone, _ = await talk.call("undo_edit", {"edit_id": preview["edit_id"]})
    check(undone["status"] == "undone", "not undone", undone)
    talk.expect("counters.rs", COUNTERS, "after an undo")
    talk.expect("greeting.rs", GREETING, "after an undo")


async def a_text_a_wrapper_and_a_move(talk):
    """Part of a node by its text, content around a node, a node moved to another file."""
    talk.write("counters.rs", COUNTERS)
    talk.write("greeting.rs", GREETING)
    arguments = {"file_path": "counters.rs", "find": "fn count(&self) -> <|>u32<|>", "new_content": "u64"}
    error, _ = await talk.refused("replace_text", arguments, "ambiguous_target")
    suggestion = error["suggestions"][-1]
    preview, _ = await talk.call(suggestion["tool"], suggestion["arguments"])
    await talk.call("apply_edit", {"edit_id": preview["edit_id"]})
    second = COUNTERS.index("Misses {")
    wanted = COUNTERS[:second] + COUNTERS[second:].replace("u32", "u64", 1)
    talk.expect("counters.rs", wanted, "after a replacement of a text")

    wrapped = {
        "file_path": "counters.rs",
        "selector": "Hits:function@fn count",
        "new_content": "mod tests {\n    <|>",
    }
    await talk.refused("wrap_node", wrapped, "breaks_syntax")
    wrapped |= {"selector": "Hits:expression@self.0", "new_content": "(<|>)", "apply": True}
    await talk.call("wrap_node", wrapped)
    wanted = wanted.replace("self.0", "(self.0)", 1)
    talk.expect("counters.rs", wanted, "after a wrapper")

    moved = {
        "file_path": "greeting.rs",
        "selector": "function@fn leave",
        "to": {"file_path": "counters.rs", "selector": "struct@struct Hit", "position": "after"},
    }
    preview, text = await talk.call("move_node", moved)
    check([file["edits"] for file in preview["files"] if "edits" in file] == [], "not one edit per file", preview)
    check("would move function_item" in text and "would move it after struct_item" in text, "wrong wording", text)
    await talk.call("apply_edit", {"edit_id": preview["edit_id"]})
    talk.expect("greeting.rs", GREETING.replace("\r\n\r\nfn leave() {}", ""), "after a move")
    moved_to = wanted.replace("struct Hits(u32);\n", "struct Hits(u32);\n\nfn leave() {}\n")
    talk.expect("counters.rs", moved_to, "after a move")
    await talk.call("undo_edit", {"edit_id": preview["edit_id"]})
    talk.expect("counters.rs", wanted, "after an undo")
    talk.expect("greeting.rs", GREETING, "after an undo")


async def clients_write_arguments_in_many_ways(talk):
    """The same selector as an object, in a string, flat, with numbers as strings, and with nulls."""
    talk.write("counters.rs", COUNTERS)
    selector = {"anchor_text": "fn count", "ancestor_node_type": "function_item", "nth": 2}
    as_strings = {**selector, "nth": "2", "scope": None, "outward": "0"}
    forms = {
        "an object": {"selector": selector},
        "in a string": {"selector": json.dumps(selector)},
        "flat": selector,
        "numbers as strings, nulls": {"selector": as_strings, "locate": None},
        "flat, all strings": {**as_strings, "locate": None},
        "in one line": {"selector": "Misses:function_item@fn count"},
    }
    answers = []
    for form, fields in forms.items():
        say(f"({form})")
        answer, _ = await talk.call("read_node", {"file_path": "counters.rs", **fields})
        answers.append(answer)
    check(answers[0]["node"]["symbol_path"] == ["Misses", "count"], "another node", answers[0])
    check(all(answer == answers[0] for answer in answers), "the forms are read differently", answers)

    whole = {
        "file_path": "counters.rs",
        "selector": json.dumps({"anchor_text": "struct Hits", "ancestor_node_type": "struct_item"}),
        "new_content": "struct Hits(u64);",
        "indent": None,
        "allow": "[]",
        "apply": "true",
    }
    applied, _ = await talk.call("replace_node", whole)
    check(applied["status"] == "applied", "apply as a string was not read", applied)
    talk.expect("counters.rs", COUNTERS.replace("u32", "u64", 1), "after apply: true")

    for locate in ["counters.rs:Misses.count", {"file_path": "counters.rs", "scope": {"symbol_path": ["Misses", "count"]}}]:
        located, text = await talk.call("locate", {"locate": locate})
        check(located["position"]["line"] == 13, "located at another position", located)
        check(text.startswith("Located `counters.rs` at 13:8"), "wrong wording", text)
    located, _ = await talk.call("locate", {"locate": "counters.rs:Hits@self.0"})
    check(located["range"]["start"]["line"] == 6, "located at another position", located)

    # The description of a position resolves to it.
    for position in ["counters.rs:6:9: warning: unused", {"line": "6", "character": 9}]:
        described, text = await talk.call(
            "locate", {"file_path": "counters.rs", "position": position}
        )
        again, _ = await talk.call("locate", {"locate": described["locate"]})
        check(again["position"] == described["position"], "another position", text)
        selector = {"file_path": "counters.rs", "selector": described["selector"]}
        read, _ = await talk.call("read_node", selector)
        check(read["node"]["node_type"] == described["node"]["node_type"], "another node", text)


async def malformed_calls_are_distinguished(talk):
    """An unknown tool is the client's mistake; wrong arguments are the model's."""
    try:
        await talk.client.call_tool("replace_text_everywhere", {})
    except MCPError as error:
        say("> replace_text_everywhere {}")
        say(indented(f"protocol error {error.error.code}: {error.error.message}"))
        check(error.error.code == -32602, "another protocol error", error.error)
        check("replace_node" in error.error.message, "the tools are not named", error.error)
    else:
        raise Mismatch("an unknown tool was called")

    selector = {"anchor_text": "struct Hits", "ancestor_node_type": "struct_item"}
    arguments = {"file_path": "counters.rs", "selector": selector}
    error, _ = await talk.refused("replace_node", arguments, "invalid_arguments")
    check("new_content" in error["message"], "the missing argument is not named", error)
    error, _ = await talk.refused("locate", {}, "invalid_arguments")
    check("locate" in error["message"], "the missing argument is not named", error)
    old = {"file_path": "counters.rs", "selector": {"type": "struct_item", "name": "Hits"}}
    await talk.refused("read_node", old, "unsupported_selector")
    arguments |= {"new_content": "struct Hits(i8);"}
    unknown = arguments | {"dry_run": True}
    error, text = await talk.refused("replace_node", unknown, "invalid_arguments")
    check("dry_run" in error["message"], "dry_run is not named", error)
    check("dry_run" in text, "dry_run is not named in the text", text)
    preview, _ = await talk.call("replace_node", arguments)
    discarded, _ = await talk.call("discard_edit", {"edit_id": preview["edit_id"]})
    check(discarded["discarded"] is True, "not discarded", discarded)
    await talk.refused("apply_edit", {"edit_id": preview["edit_id"]}, "discarded")
    outside = {"file_path": "../counters.rs", "selector": selector}
    await talk.refused("read_node", outside, "outside_workspace")


async def line_endings_stay(talk):
    talk.write("greeting.rs", GREETING)
    arguments = {
        "file_path": "greeting.rs",
        "selector": {"anchor_text": "fn greet", "ancestor_node_type": "function"},
        "new_content": 'fn greet() -> &\'static str {\n    let text = "h\u00e9llo \U0001f600";\n    text\n}',
    }
    preview, _ = await talk.call("replace_node", arguments)
    talk.expect("greeting.rs", GREETING, "after a preview")
    await talk.call("apply_edit", {"edit_id": preview["edit_id"]})
    expected = GREETING.replace(
        '"hello"\r\n', 'let text = "h\u00e9llo \U0001f600";\r\n    text\r\n'
    )
    talk.expect("greeting.rs", expected, "after apply_edit")


async def calls_run_concurrently(talk):
    """Many readers; and two writers of one file, neither of which overwrites the other's change."""
    talk.write("counters.rs", COUNTERS)
    read = {"file_path": "counters.rs", "selector": "Hits:function_item@fn count"}
    results = await asyncio.gather(
        *(talk.client.call_tool("read_node", read) for _ in range(30))
    )
    check(not any(result.is_error for result in results), "a reader was refused")

    def write(name):
        return {
            "file_path": "counters.rs",
            "selector": {"anchor_text": f"struct {name}", "ancestor_node_type": "struct_item"},
            "new_content": f"struct {name}(u64);",
            "apply": True,
        }

    names = ["Hits", "Misses"]
    results = await asyncio.gather(
        *(talk.client.call_tool("replace_node", write(name)) for name in names)
    )
    expected = COUNTERS
    for name, result in zip(names, results):
        if result.is_error:
            code = result.structured_content["error"]["code"]
            check(code in ("stale_edit", "locked"), "a writer was refused", result.content[0].text)
        else:
            expected = expected.replace(f"struct {name}(u32)", f"struct {name}(u64)")
    check(expected != COUNTERS, "both writers were refused")
    talk.expect("counters.rs", expected, "after two writers at once")


async def a_search_is_cancelled_and_the_next_call_is_answered(talk):
    """The client receives progress and cancels; the server answers the next call."""
    many = talk.root / "many"
    many.mkdir(exist_ok=True)
    for number in range(600):
        (many / f"file{number}.rs").write_text(COUNTERS * 20)
    query = '(function_item name: (identifier) @name (#eq? @name "no"))'
    progress = []
    with anyio.CancelScope() as cancelled:

        async def on_progress(done, total, _message):
            progress.append((done, total))
            cancelled.cancel()

        await talk.client.call_tool(
            "find_nodes",
            {"path": "many", "query": query},
            progress_callback=on_progress,
        )
    check(cancelled.cancelled_caught, "the search ended before it was cancelled")
    done, total = progress[0]
    check(done < total == 600, "other progress", progress)
    say(f"> find_nodes, of {total:.0f} files, cancelled")
    found, _ = await talk.call("find_nodes", {"path": "many/file7.rs", "name": "Hits", "max_items": 1})
    check(found["matches"][0]["file_path"] == "many/file7.rs", "found in another file", found)
    for file in many.iterdir():
        file.unlink()
    many.rmdir()


STEPS = [
    a_refusal_suggests_the_edit,
    a_statement_is_inserted_and_deleted,
    a_changed_file_is_written_at_unchanged_places,
    several_edits_are_applied_and_undone,
    a_text_a_wrapper_and_a_move,
    clients_write_arguments_in_many_ways,
    malformed_calls_are_distinguished,
    line_endings_stay,
    calls_run_concurrently,
    a_search_is_cancelled_and_the_next_call_is_answered,
]


async def converse(binary, mode):
    """Runs the whole conversation, in a session or without one."""
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory).resolve() / "workspace"
        root.mkdir()
        server = StdioServerParameters(
            command=binary,
            args=["serve", "--tools", "read,edit,flow", "--root", str(root)],
            env={"XDG_STATE_HOME": str(Path(directory) / "state")},
        )
        client = Client(server, mode=mode, read_timeout_seconds=SECONDS_FOR_ONE_CALL)
        async with client:
            say(f"# revision {client.protocol_version} ({mode})")
            # A client that specifies the revision makes its first call at once.
            if mode in ("legacy", "auto"):
                check(client.server_info.name == "treegraft", "another server", client.server_info)
                words = len((client.instructions or "").split())
                check(0 < words < 300, "the instructions are missing or long", words)
            talk = Conversation(client, root)
            listed = await talk.list_tools()
            if mode != "legacy":
                check(listed.ttl_ms > 0, "the list of tools cannot be kept", listed.ttl_ms)
            for step in STEPS:
                say(f"\n## {step.__name__.replace('_', ' ')}")
                await step(talk)
        say("")


async def main():
    if len(sys.argv) != 2 or not os.access(sys.argv[1], os.X_OK):
        sys.exit("usage: transcript.py PATH-OF-TREEGRAFT")
    binary = os.path.abspath(sys.argv[1])
    with anyio.fail_after(SECONDS_FOR_ALL):
        for mode in ["legacy", "2026-07-28", "auto"]:
            await converse(binary, mode)


def reasons(error):
    """Returns the errors in an exception group."""
    inner = getattr(error, "exceptions", None)
    return [error] if inner is None else [reason for one in inner for reason in reasons(one)]


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except Exception as error:  # any failure is reported and ends the run
        for reason in reasons(error):
            kind = "" if isinstance(reason, Mismatch) else f"{type(reason).__name__}: "
            print(f"MISMATCH {kind}{reason}", file=sys.stderr)
        sys.exit(1)
    print("no mismatch")
