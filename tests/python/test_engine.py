"""The engine on files: typed answers, refusals, threads and asyncio."""

import asyncio
import dataclasses
import pathlib
import pickle
import sys
import tempfile
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor

import treegraft

SERVER = """\
struct Server;

impl Server {
    fn handle(&self) -> u8 {
        timeout(30)
    }
}
"""


class Workspace(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name, "project")
        self.root.mkdir()
        self.file = self.root / "server.rs"
        self.file.write_text(SERVER)
        self.engine = treegraft.Engine(self.root, state_directory=pathlib.Path(folder.name, "state"))
        self.addCleanup(self.engine.close)

    def refusal(self, make, *arguments, **words) -> treegraft.Refusal:
        with self.assertRaises(treegraft.Refusal) as caught:
            make(*arguments, **words)
        return caught.exception


class Engine(Workspace):
    def test_an_edit_is_staged_applied_and_undone(self) -> None:
        staged = self.engine.replace_node("server.rs", "integer_literal@30", "60")
        self.assertEqual(self.file.read_text(), SERVER)
        self.assertEqual(staged.status, "previewed")
        edited = staged.files[0]
        self.assertEqual((edited.added_lines, edited.removed_lines), (1, 1))
        self.assertIn("+        timeout(60)\n", staged.diff)
        self.assertEqual(edited.action, "replace")
        self.assertEqual(edited.range.start.line, 5)

        self.assertEqual(self.engine.apply_edit(staged.edit_id).status, "applied")
        self.assertEqual(self.file.read_text(), SERVER.replace("30", "60"))
        self.assertEqual([one.edit_id for one in self.engine.list_edits().edits], [staged.edit_id])
        self.assertEqual(self.engine.undo_edit(staged.edit_id).status, "undone")
        self.assertEqual(self.file.read_text(), SERVER)

    def test_answers_are_values(self) -> None:
        outline = self.engine.outline("server.rs")
        names = [symbol.name for symbol in outline.files[0].symbols]
        self.assertEqual(names, ["Server", "impl Server"])
        self.assertEqual(outline, self.engine.outline("server.rs"))
        summary = self.engine.outline(".", max_items=1).summary
        self.assertEqual(summary, (treegraft.PathSummary(path="server.rs", files=1, symbols=3, names=()),))
        self.assertEqual(pickle.loads(pickle.dumps(outline)), outline)
        with self.assertRaises(dataclasses.FrozenInstanceError):
            outline.files_looked_at = 2  # type: ignore[misc]
        self.assertIn("Outlined(files=(FileOutline(file_path='server.rs'", repr(outline))
        found = self.engine.find_nodes("server.rs", pattern="timeout($A)")
        self.assertEqual(found.matches[0].captures[0].text, "30")
        self.assertIsNone(found.cursor)
        self.assertEqual(found.notes, ())

    def test_several_edits_are_all_or_none(self) -> None:
        edits: list[treegraft.NodeEdit] = [
            {"op": "replace", "selector": "integer_literal@30", "new_content": "60"},
            {"op": "create_file", "file_path": "new.rs", "new_content": "fn f() {}\n"},
        ]
        made = self.engine.edit_nodes(edits, file_path="server.rs", apply=True)
        self.assertEqual([file.file_path for file in made.files], ["server.rs", "new.rs"])
        self.assertEqual((self.root / "new.rs").read_text(), "fn f() {}\n")

    def test_a_refusal_has_its_facts_and_its_text(self) -> None:
        refusal = self.refusal(self.engine.replace_node, "server.rs", "call_expression@timeot(30)", "f()")
        self.assertEqual(refusal.code, "anchor_not_found")
        self.assertTrue(str(refusal).startswith("refused: anchor_not_found\n"), str(refusal))
        self.assertIn("help:", str(refusal))
        self.assertIn(refusal.message, str(refusal))
        self.assertIsNotNone(refusal.edit_id)
        self.assertEqual(repr(refusal), f"Refusal(code='anchor_not_found', message={refusal.message!r})")
        suggestion = refusal.suggestions[0]
        self.assertIsNone(suggestion.trial)
        made = self.engine.call(suggestion.tool, suggestion.arguments)
        assert isinstance(made, treegraft.EditMade)
        self.assertIn("+        f()\n", made.diff)

        again = pickle.loads(pickle.dumps(refusal))
        self.assertEqual((str(again), again.suggestions), (str(refusal), refusal.suggestions))
        self.assertEqual(again.to_json(), refusal.to_json())

    def test_a_refusal_lists_all_candidates(self) -> None:
        refusal = self.refusal(self.engine.read_node, "server.rs", "type_identifier@Server")
        self.assertEqual(refusal.code, "ambiguous_target")
        self.assertEqual([candidate.line for candidate in refusal.candidates], [1, 3])
        self.assertIn("impl_item", [node.node_type for node in refusal.candidates[1].ancestors])

    def test_several_refused_edits_are_listed(self) -> None:
        edits: list[treegraft.NodeEdit] = [
            {"file_path": "server.rs", "selector": f"integer_literal@{n}", "new_content": "1"} for n in (31, 32)
        ]
        refusal = self.refusal(self.engine.edit_nodes, edits)
        self.assertEqual(refusal.edit_index, 0)
        self.assertEqual([one.edit_index for one in refusal.further], [1])

    def test_wrong_arguments_are_refused(self) -> None:
        refusal = self.refusal(self.engine.call, "replce_node", {})
        self.assertEqual(refusal.code, "invalid_arguments")
        self.assertIn("`replace_node`", str(refusal))
        with self.assertRaisesRegex(TypeError, "like JSON"):
            self.engine.call("outline", {"path": object()})
        refusal = self.refusal(self.engine.find_nodes, "server.rs")
        self.assertEqual(refusal.code, "invalid_arguments")

    def test_a_root_that_is_missing_is_an_os_error(self) -> None:
        with self.assertRaisesRegex(OSError, "missing"):
            treegraft.Engine(self.root / "missing")

    def test_an_engine_can_be_closed(self) -> None:
        with treegraft.Engine([self.root], state_directory=self.root.parent / "state") as engine:
            self.assertEqual(engine.roots, (str(self.root.resolve()),))
            self.assertEqual(repr(engine), f"Engine({str(self.root)!r})")
            engine.outline()
        with self.assertRaisesRegex(ValueError, "the engine is closed"):
            engine.outline()
        reopened = pickle.loads(pickle.dumps(engine))
        self.assertEqual(len(reopened.outline().files), 1)

    def test_languages_and_node_types(self) -> None:
        names = [language.name for language in treegraft.languages().languages]
        self.assertIn("python", names)
        self.assertIn("integer", [one.node_type for one in treegraft.node_types("python").node_types])
        refusal = self.refusal(treegraft.node_types, "klingon")
        self.assertEqual(refusal.code, "unknown_language")


class Concurrency(Workspace):
    COUNT = 32

    def setUp(self) -> None:
        super().setUp()
        for number in range(self.COUNT):
            (self.root / f"f{number}.py").write_text(f"limit = {number}\n" * 2)

    def edit(self, number: int) -> str:
        find = f"limit = {number}\nlimit = <|>{number}<|>"
        staged = self.engine.replace_text(f"f{number}.py", find, "-1")
        return self.engine.apply_edit(staged.edit_id).status

    def check(self, statuses: list[str]) -> None:
        self.assertEqual(statuses, ["applied"] * self.COUNT)
        for number in range(self.COUNT):
            self.assertEqual((self.root / f"f{number}.py").read_text(), f"limit = {number}\nlimit = -1\n")
        self.assertEqual(len(self.engine.list_edits().edits), 20)

    def test_threads_share_an_engine(self) -> None:
        with ThreadPoolExecutor(8) as pool:
            self.check(list(pool.map(self.edit, range(self.COUNT))))

    def test_tasks_share_an_engine(self) -> None:
        async def edit_all() -> list[str]:
            return await asyncio.gather(*[asyncio.to_thread(self.edit, number) for number in range(self.COUNT)])

        self.check(asyncio.run(edit_all()))

    def test_one_file_is_edited_by_many_threads(self) -> None:
        lines = "".join(f"fn f{number}() {{ g({number}) }}\n" for number in range(1, self.COUNT + 1))
        self.file.write_text(lines)
        # All begin at the same moment.
        barrier = threading.Barrier(self.COUNT)

        def edit(number: int) -> str:
            barrier.wait()
            return self.engine.replace_node("server.rs", f"f{number}:argument@{number}", "0", apply=True).status

        with ThreadPoolExecutor(self.COUNT) as pool:
            statuses = list(pool.map(edit, range(1, self.COUNT + 1)))
        self.assertTrue(all(status in ("applied", "rebased") for status in statuses), statuses)
        expected = "".join(f"fn f{number}() {{ g(0) }}\n" for number in range(1, self.COUNT + 1))
        self.assertEqual(self.file.read_text(), expected)

    def test_other_threads_run_during_a_call(self) -> None:
        (self.root / "large.json").write_text("[" + ",".join(str(number) for number in range(200_000)) + "]\n")
        is_in_call = False

        def search() -> None:
            nonlocal is_in_call
            is_in_call = True
            self.engine.find_nodes("large.json", text="199999")
            is_in_call = False

        # Threads change only where one releases the interpreter lock.
        interval = sys.getswitchinterval()
        self.addCleanup(sys.setswitchinterval, interval)
        sys.setswitchinterval(1000)
        thread = threading.Thread(target=search)
        thread.start()
        self.assertTrue(is_in_call, "the call holds the interpreter lock")
        thread.join()


if __name__ == "__main__":
    unittest.main()
