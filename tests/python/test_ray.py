"""The parts of `treegraft.ray` that need no cluster: `cluster.py` has one."""

import io
import os
import pathlib
import tarfile
import tempfile
import unittest
import zipfile

import pyarrow as pa
import treegraft.ray
from ray import cloudpickle
from treegraft._rows import Operation, run_isolated
from treegraft.ray import _glob, _Reader


def rows_of(source: pathlib.Path, include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> dict[str, object]:
    """Reads a source: the text of each path, or the code of its failure."""
    reader = _Reader([_glob(one) for one in include], [_glob(one) for one in exclude])
    batch = pa.Table.from_pylist([{"repository": "r", "source": os.fspath(source)}])
    rows = [row for table in reader(batch) for row in table.to_pylist()]
    assert all(row["repository"] == "r" for row in rows)
    return {row["path"]: row["code"] if row["text"] is None else row["text"] for row in rows}


class Reading(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def test_globs_match_names_or_paths(self) -> None:
        for glob, path, matches in [
            ("*.py", "a.py", True),
            ("*.py", "src/a.py", True),
            ("*.py", "a.pyi", False),
            ("src/*.py", "src/a.py", True),
            ("src/*.py", "src/b/a.py", False),
            ("src/**/*.py", "src/a.py", True),
            ("src/**/*.py", "src/b/c/a.py", True),
            ("src/**", "src/b/a.txt", True),
            ("**/test_?.py", "b/c/test_a.py", True),
            ("a.b", "axb", False),
        ]:
            pattern, is_whole = _glob(glob)
            text = path if is_whole else path.rsplit("/", 1)[-1]
            self.assertEqual(bool(pattern.fullmatch(text)), matches, (glob, path))

    def test_a_directory_is_read_without_links_and_version_control(self) -> None:
        for name in ["a.py", "src/b.py", "src/c.txt", ".git/d.py", "src/.git/e.py"]:
            file = self.folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(name.encode())
        (self.folder / "link.py").symlink_to("a.py")
        (self.folder / "loop").symlink_to(".")
        with open(self.folder / "large.py", "wb") as file:
            file.truncate(treegraft.ray.FILE_BYTES + 1)
        with open(os.fsencode(self.folder) + b"/\xff.py", "wb"):
            pass
        self.assertEqual(
            rows_of(self.folder, ("*.py",), ("src/x*",)),
            {"a.py": b"a.py", "src/b.py": b"src/b.py", "large.py": "file_too_large", "\\xff.py": "not_utf8"},
        )
        self.assertEqual(list(rows_of(self.folder, exclude=("*.py",))), ["src/c.txt"])

    def test_archives_are_read_below_their_only_directory(self) -> None:
        files = {"top/a.py": b"1", "top/src/b.py": b"2", "top/../../c.py": b"3", "top/.git/d.py": b"4"}
        tar = self.folder / "r.tar.gz"
        with tarfile.open(tar, "w:gz") as archive:
            for name, content in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
            again = tarfile.TarInfo("top/a.py")
            again.size = 3
            archive.addfile(again, io.BytesIO(b"1.1"))
            hard = tarfile.TarInfo("top/hard.py")
            hard.type, hard.linkname = tarfile.LNKTYPE, "top/src/b.py"
            archive.addfile(hard)
            link = tarfile.TarInfo("top/link.py")
            link.type, link.linkname = tarfile.SYMTYPE, "a.py"
            archive.addfile(link)
        zipped = self.folder / "r.zip"
        with zipfile.ZipFile(zipped, "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        self.assertEqual(rows_of(tar), {"a.py": b"1.1", "src/b.py": b"2", "hard.py": b"2"})
        self.assertEqual(rows_of(zipped), {"a.py": b"1", "src/b.py": b"2"})
        for name, content in [("cut.tar.gz", tar.read_bytes()[:60]), ("cut.zip", zipped.read_bytes()[:60]), ("e.tar", b"")]:
            (self.folder / name).write_bytes(content)
            self.assertEqual(rows_of(self.folder / name), {"": "io_error"}, name)
        self.assertEqual(rows_of(self.folder / "missing"), {"": "io_error"})

    def test_names_of_repositories_are_distinct(self) -> None:
        with self.assertRaisesRegex(ValueError, "two sources have the name 'shop': a/shop and b/shop.tar.gz"):
            treegraft.ray.read_repositories(["a/shop", "b/shop.tar.gz"])
        with self.assertRaisesRegex(ValueError, "there are no sources"):
            treegraft.ray.read_repositories([])


class Rows(unittest.TestCase):
    def test_each_row_has_a_status(self) -> None:
        operation = Operation("rewrite", {"pattern": "f($A)", "new_content": "g($A)"})
        for text, status, code in [
            ("f(1)\n", "edited", ""),
            (b"f(1)\n", "edited", ""),
            ("h(1)\n", "unchanged", ""),
            (b"\xff", "refused", "not_utf8"),
            ("\ud800", "refused", "not_utf8"),
            ("\0", "refused", "binary_file"),
            (None, "failed", "io_error"),
        ]:
            result = operation.run({"repository": "r", "path": "a.py", "text": text})
            self.assertEqual((result["status"], result["code"]), (status, code), text)
            self.assertEqual(bool(result["diff"]), status == "edited")
            self.assertEqual(bool(result["key"]), text is not None)

    def test_a_path_cannot_break_a_patch(self) -> None:
        operation = Operation("rewrite", {"pattern": "f($A)", "new_content": "g($A)"})
        result = operation.run({"path": "a.py\n+++ b/b.py", "text": "f(1)\n"})
        self.assertEqual((result["status"], result["code"], result["diff"]), ("refused", "invalid_arguments", ""))

    def test_the_key_depends_on_everything_that_the_result_depends_on(self) -> None:
        def key(arguments: dict[str, object], path: str, text: str | bytes) -> str:
            return Operation("rewrite", arguments).task({"path": path, "text": text}).key

        one = {"pattern": "f($A)", "new_content": "g($A)"}
        same = key(one, "a.py", "f(1)")
        self.assertEqual(key({"new_content": "g($A)", "pattern": "f($A)"}, "a.py", b"f(1)"), same)
        others = [key({**one, "new_content": ""}, "a.py", "f(1)"), key(one, "b.py", "f(1)"), key(one, "a.py", "f(2)")]
        self.assertEqual(len({same, *others}), 4)

    def test_edits_may_depend_on_the_row(self) -> None:
        operation = Operation("edit_nodes", {}, lambda row: [] if row["path"] == "b.py" else [{"op": "remove"}])
        refused = operation.run({"path": "a.py", "text": "f(1)\n"})
        self.assertEqual((refused["status"], refused["code"]), ("refused", "invalid_arguments"))
        self.assertEqual(operation.run({"path": "b.py", "text": "f(1)\n"})["status"], "unchanged")

        def fails(row: object) -> list[dict[str, object]]:
            raise KeyError("no edits for this file")

        failed = Operation("edit_nodes", {}, fails).run({"path": "a.py", "text": "f(1)\n"})
        self.assertEqual((failed["status"], failed["message"]), ("failed", "KeyError: 'no edits for this file'"))

    def test_a_process_that_ends_fails_only_its_row(self) -> None:
        def edits(row: treegraft.ray.Row) -> list[dict[str, str]]:
            print("what a function prints is no result:", row["path"])
            return [{"op": "replace", "selector": "identifier@a", "new_content": "b"}]

        operation = Operation("edit_nodes", {}, edits)
        large = "a = [" + "1, " * 3_000_000 + "1]\n"
        texts = ["a = 1\n", large, "a = 2\n", large, large, "a = 3\n"]
        rows: list[treegraft.ray.Row] = [{"path": "a.py", "text": text} for text in texts]
        results = run_isolated(operation, rows, 128 << 20, cloudpickle.dumps)
        statuses = [result["status"] for result in results]
        self.assertEqual(statuses, ["edited", "failed", "edited", "failed", "failed", "edited"])
        self.assertRegex(results[1]["message"], "^the process of this file ended with SIG[A-Z]+; it may use 128 MB")

    def test_arguments_are_checked_before_anything_runs(self) -> None:
        for arguments in [{}, {"pattern": "f($A)", "rule": "id: a"}]:
            with self.assertRaisesRegex(ValueError, "either pattern or rule"):
                treegraft.ray.rewrite(None, **arguments)  # type: ignore[arg-type]


if __name__ == "__main__":
    unittest.main()
