"""The functions on text."""

import asyncio
import copy
import dataclasses
import json
import pathlib
import pickle
import subprocess
import sys
import tempfile
import types
import typing
import unittest
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import treegraft

RUST = "fn main() {\n    start(1, 2);\n}\n\nfn helper() {}\n"


class Edits(unittest.TestCase):
    def test_every_operation_edits(self) -> None:
        made = [
            (treegraft.edit(RUST, "rust", "call_expression@start", "replace", "stop()"), RUST.replace("start(1, 2)", "stop()")),
            (treegraft.edit(RUST, "rust", "start(<|>1<|>", "replace_text", "9"), RUST.replace("1", "9")),
            (
                treegraft.edit(RUST, "rust", {"find": "1", "scope": {"line": 2}}, "replace_text", "9"),
                RUST.replace("1", "9"),
            ),
            (treegraft.edit(RUST, "rust", "argument@2", "insert", "3", position="after"), RUST.replace("2", "2, 3")),
            (treegraft.edit(RUST, "rust", "argument@1", "delete"), RUST.replace("1, ", "")),
            (
                treegraft.edit(RUST, "rust", "expression_statement@start", "wrap", "if ready {\n    <|>\n}"),
                RUST.replace("    start(1, 2);", "    if ready {\n        start(1, 2);\n    }"),
            ),
            (
                treegraft.edit(
                    RUST,
                    "rust",
                    "function@fn helper",
                    "move",
                    to={"selector": "function@fn main", "position": "before"},
                ),
                "fn helper() {}\n\nfn main() {\n    start(1, 2);\n}\n",
            ),
        ]
        for edited, expected in made:
            self.assertEqual(edited.text, expected)
            self.assertTrue(edited.changed)
            self.assertEqual(len(edited.digest), 64)
            self.assertEqual(edited.answer.files[0].digest_after, edited.digest)
            self.assertNotIn("main", repr(edited).replace(repr(edited.diff), ""))
            self.assertEqual(pickle.loads(pickle.dumps(edited)), edited)
        self.assertEqual(made[3][0].notes, ("added the separator `,`",))

    def test_patch_applies_the_diff(self) -> None:
        edited = treegraft.edit(RUST, "rust", "argument@2", "delete", file_path="src/main.rs")
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "src/main.rs")
            file.parent.mkdir()
            file.write_text(RUST)
            subprocess.run(["git", "apply"], cwd=folder, input=edited.diff, text=True, check=True)
            self.assertEqual(file.read_text(), edited.text)

    def test_other_bytes_stay(self) -> None:
        for text in ["\ufeffa = 1\r\nb = 2\r\n", "x = 'é😀'\na = 1\r\nb = 2", "a = 1\n\n\n\t# \0\n".replace("\0", "")]:
            edited = treegraft.edit(text, "python", "integer@1", "replace", "30")
            self.assertEqual(edited.text, text.replace("1", "30"))
            for given in [text.encode(), bytearray(text.encode())]:
                self.assertEqual(treegraft.edit(given, "python", "integer@1", "replace", "30"), edited)

    def test_the_path_determines_the_language(self) -> None:
        found = treegraft.find("fetch(a)\n", None, "fetch($X)", file_path="a.py")
        self.assertEqual(found.matches[0].file_path, "a.py")
        # Without both, the text is plain text: it has lines and paragraphs.
        self.assertEqual(treegraft.edit("one\ntwo\n", None, "line@two", "delete").text, "one\n")

    def test_an_edited_text_is_a_value(self) -> None:
        one, same, other = (treegraft.edit("f(1)\n", "python", "integer@1", "replace", text) for text in ("2", "2", "3"))
        self.assertEqual((one, hash(one)), (same, hash(same)))
        self.assertNotEqual(one, other)
        self.assertNotEqual(one, one.text)
        diff = "--- a/text.py\n+++ b/text.py\n@@ -1 +1 @@\n-f(1)\n+f(2)\n"
        self.assertEqual(repr(one), f"Edited(diff={diff!r}, digest={one.digest!r}, notes=(), changed=True)")
        with self.assertRaises(AttributeError):
            one.text = "f(9)\n"  # type: ignore[misc]

    def test_a_rewrite_counts_its_matches(self) -> None:
        rewritten = treegraft.rewrite("f(1)\nf(2)\n", "python", "f($A)", "g($A)", skip=[1])
        self.assertEqual(rewritten.text, "f(1)\ng(2)\n")
        assert rewritten.matches is not None
        self.assertEqual((rewritten.matches.found, rewritten.matches.left_out), (2, 1))
        unchanged = treegraft.rewrite("f(1)\n", "python", "h($A)", "g($A)")
        self.assertEqual((unchanged.text, unchanged.diff, unchanged.changed), ("f(1)\n", "", False))
        edited = treegraft.edit("f(1)\n", "python", "integer@1", "replace", "2")
        self.assertEqual(unchanged.digest, edited.answer.files[0].digest_before)


def has_type(value: object, hint: Any) -> bool:
    """Whether a value, and everything in it, is of an annotated type of `treegraft`."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any or origin is dict:
        return hint is Any or (isinstance(value, dict) and json.loads(json.dumps(value)) == value)
    if origin in (typing.Union, types.UnionType):
        return any(has_type(value, one) for one in arguments)
    if origin is typing.Literal:
        return value in arguments
    if origin is tuple and isinstance(value, tuple):
        if arguments[1:] == (...,):
            return all(has_type(one, arguments[0]) for one in value)
        return len(value) == len(arguments) and all(map(has_type, value, arguments))
    if dataclasses.is_dataclass(hint):
        hints = typing.get_type_hints(hint)
        return type(value) is hint and all(has_type(getattr(value, name), one) for name, one in hints.items())
    return type(value) is hint


class Answers(unittest.TestCase):
    """Some are created from JSON, those of frequent calls directly."""

    PYTHON = "class Server:\n    def stop(self):\n        # why\n        return fetch(1, 2)\n\nfetch(1)\nfetch(1)\n"
    RULES = "\n---\n".join(
        f"id: {name}\nlanguage: python\nmessage: no $A\nrule:\n  pattern: fetch($A, $$$REST)" for name in ("one", "two")
    )

    def answers(self) -> list[object]:
        text = self.PYTHON
        return [
            treegraft.find(text, "python", "fetch($A, $$$REST)"),
            treegraft.find(text, "python", rule=self.RULES),
            treegraft.find(text, "python", "fetch($A)", max_items=1),
            treegraft.find(text, "python", text="fetch(1)"),
            treegraft.find(text, "python", "other($A)"),
            treegraft.read(text, "python", "call@fetch(1, 2)"),
            treegraft.read(text, "python", locate="Server.stop@return"),
            treegraft.locate(text, "python", "Server.stop@return <|>fetch"),
            treegraft.locate(text, "python", "Server.stop"),
            treegraft.outline(text, "python"),
            treegraft.locate(text, "python", position=(4, 17)),
            treegraft.locate(text, "python", range={"start": "4:1", "end": "5:1"}),
            treegraft.locate(text, "python", position=(6, 1)),
            treegraft.edit(text, "python", "integer@2", "replace", "3").answer,
            treegraft.rewrite(text, "python", "fetch($A)", "get($A)", skip=[1]).answer,
            treegraft.rewrite(text, "python", "fetch($A)", "get($A)").matches,
            treegraft.rewrite("x = f(a)\ny = f(b) * 2\n", "python", "f($A)", "$A + 1", skip_failing=True).matches,
            treegraft.languages(),
            treegraft.node_types("json"),
        ]

    def test_every_value_has_its_annotated_type(self) -> None:
        for answer in self.answers():
            self.assertTrue(has_type(answer, type(answer)), answer)
        self.assertFalse(has_type(dataclasses.replace(treegraft.languages(), languages=[]), treegraft.LanguageList))

    def test_they_can_be_copied_compared_and_pickled(self) -> None:
        for answer, again in zip(self.answers(), self.answers(), strict=True):
            for other in [again, copy.copy(answer), copy.deepcopy(answer), pickle.loads(pickle.dumps(answer))]:
                self.assertEqual(other, answer)
                self.assertEqual(repr(other), repr(answer))
            # Those that a program creates are the same.
            words = {field.name: getattr(answer, field.name) for field in dataclasses.fields(answer)}  # type: ignore[arg-type]
            self.assertEqual(type(answer)(**words), answer)
            with self.assertRaises(dataclasses.FrozenInstanceError):
                answer.notes = ()  # type: ignore[attr-defined]

    def test_they_are_those_that_are_read_from_json(self) -> None:
        found = treegraft.find("f(1)\n", "python", "f($A)")
        match = {
            "file_path": "text.py",
            "line": 1,
            "node_type": "call",
            "text": "f(1)",
            "selector": "call@f",
            "captures": [{"name": "$A", "line": 1, "text": "1"}],
        }
        self.assertEqual(treegraft.NodesFound.from_json({"matches": [match], "files_looked_at": 1}), found)
        self.assertEqual(hash(treegraft.NodesFound.from_json({"matches": [match], "files_looked_at": 1})), hash(found))


class Refusals(unittest.TestCase):
    def code_of(self, text: str | bytes, language: str | None, **words: str) -> treegraft.Refusal:
        with self.assertRaises(treegraft.Refusal) as caught:
            treegraft.find(text, language, "f($A)", **words)
        return caught.exception

    def test_bad_input_is_refused_by_name(self) -> None:
        refusal = self.code_of("f(1)\n", "klingon")
        self.assertEqual(refusal.code, "unknown_language")
        self.assertIn('"klingon"', refusal.message)
        refusal = self.code_of(b"f(1)\n# caf\xe9\n", "python")
        self.assertEqual(refusal.code, "not_utf8")
        self.assertIn("offset 10", refusal.message)
        self.assertEqual(self.code_of("f('\udc80')\n", "python").code, "not_utf8")
        self.assertEqual(self.code_of(b"f(1)\0\n", "python").code, "binary_file")
        with self.assertRaisesRegex(TypeError, "a text is str or bytes, not int"):
            treegraft.outline(1, "python")  # type: ignore[arg-type]
        with self.assertRaisesRegex(TypeError, "like JSON"):
            treegraft.edit("f(1)\n", "python", "integer@1", "replace", "\udc80")
        with self.assertRaisesRegex(ValueError, "op is one of replace, .*, not 'remove'"):
            treegraft.edit("f(1)\n", "python", "call@f", "remove")  # type: ignore[arg-type]

    def test_a_refusal_suggests_a_selector_that_works(self) -> None:
        text = "f(1)\nf(2)\n"
        with self.assertRaises(treegraft.Refusal) as caught:
            treegraft.edit(text, "python", "call@f", "replace", "g()")
        refusal = caught.exception
        self.assertEqual(refusal.code, "ambiguous_target")
        self.assertEqual([candidate.line for candidate in refusal.candidates], [1, 2])
        self.assertIsNone(refusal.edit_id)
        self.assertEqual(str(pickle.loads(pickle.dumps(refusal))), str(refusal))
        selector = refusal.suggestions[1].arguments["selector"]
        self.assertEqual(treegraft.edit(text, "python", selector, "replace", "g()").text, "f(1)\ng()\n")

    def test_an_edit_that_breaks_the_syntax_is_refused_unless_allowed(self) -> None:
        with self.assertRaises(treegraft.Refusal) as caught:
            treegraft.edit("f(1)\n", "python", "integer@1", "replace", "(")
        self.assertEqual(caught.exception.code, "breaks_syntax")
        self.assertIsNotNone(caught.exception.diff)

    def test_several_edits_are_all_or_none(self) -> None:
        edits: list[treegraft.NodeEdit] = [
            {"selector": "integer@1", "new_content": "10"},
            {"selector": "integer@7", "new_content": "70"},
        ]
        with self.assertRaises(treegraft.Refusal) as caught:
            treegraft.edit_nodes("f(1)\n", "python", edits)
        self.assertEqual((caught.exception.code, caught.exception.edit_index), ("anchor_not_found", 1))


class Concurrency(unittest.TestCase):
    def edit(self, number: int) -> bool:
        text = f"limit = {number}\n" * 2
        edited = treegraft.edit(text, "python", f"limit = {number}\nlimit = <|>{number}<|>", "replace_text", "-1")
        return edited.text == f"limit = {number}\nlimit = -1\n"

    def test_threads_and_tasks_edit_at_once(self) -> None:
        with ThreadPoolExecutor(8) as pool:
            self.assertTrue(all(pool.map(self.edit, range(100))))

        async def edit_all() -> list[bool]:
            return await asyncio.gather(*[asyncio.to_thread(self.edit, number) for number in range(100)])

        self.assertTrue(all(asyncio.run(edit_all())))

    def test_no_file_is_written(self) -> None:
        program = "import treegraft; print(treegraft.edit('f(1)', 'python', 'integer@1', 'replace', '2').text)"
        with tempfile.TemporaryDirectory() as home:
            environment = {"PYTHONPATH": ":".join(sys.path), "HOME": home, "PYTHONDONTWRITEBYTECODE": "1"}
            done = subprocess.run(
                [sys.executable, "-c", program], cwd=home, env=environment, check=True, capture_output=True, text=True
            )
            self.assertEqual(done.stdout, "f(2)\n")
            self.assertEqual(list(pathlib.Path(home).rglob("*")), [])


if __name__ == "__main__":
    unittest.main()
