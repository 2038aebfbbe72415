"""The functions on text."""

import asyncio
import copy
import dataclasses
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

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


class Answers(unittest.TestCase):
    """The fields of an answer are created when the first one is read."""

    def found(self) -> treegraft.NodesFound:
        return treegraft.find("f(1)\nf(2)\n", "python", "f($A)")

    def test_they_are_the_same_however_they_are_read_first(self) -> None:
        read = self.found()
        self.assertEqual([match.line for match in read.matches], [1, 2])
        self.assertEqual((read.total, read.files_looked_at, read.cursor, read.notes), (None, 1, None, ()))
        for again in [
            self.found(),
            copy.copy(self.found()),
            copy.deepcopy(self.found()),
            pickle.loads(pickle.dumps(self.found())),
            dataclasses.replace(self.found()),
            treegraft.NodesFound(**{name: getattr(read, name) for name in read.__dataclass_fields__}),
            treegraft.NodesFound.from_json(
                {
                    "matches": [
                        {
                            "file_path": "text.py",
                            "line": line,
                            "node_type": "call",
                            "text": f"f({line})",
                            "selector": f"call@{line}",
                            "captures": [{"name": "$A", "line": line, "text": f"{line}"}],
                        }
                        for line in (1, 2)
                    ],
                    "files_looked_at": 1,
                }
            ),
        ]:
            self.assertEqual(again, read)
            self.assertEqual((repr(again), hash(again)), (repr(read), hash(read)))

    def test_other_names_are_no_attributes(self) -> None:
        for found in [self.found(), self.found()]:
            with self.assertRaisesRegex(AttributeError, "'NodesFound' object has no attribute 'match'"):
                found.match  # type: ignore[attr-defined]
            self.assertEqual(len(found.matches), 2)

    def test_threads_may_read_the_same_answer(self) -> None:
        with ThreadPoolExecutor(8) as pool:
            for _ in range(50):
                found = self.found()
                counts = pool.map(lambda _, found=found: (len(found.matches), found.files_looked_at), range(8))
                self.assertEqual(set(counts), {(2, 1)})


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
