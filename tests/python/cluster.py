"""Runs `treegraft.ray` on a local cluster of two workers, and compares it with one process.

    python cluster.py ROOT_OF_TREEGRAFT

Prints `passed`. The cluster listens on loopback and ends with the program.
"""

from __future__ import annotations

import io
import os
import pathlib
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import zipfile

# Ray reads them when it is imported: its processes accept no other user of this machine.
os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0", RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex())

import pyarrow.parquet
import ray
import treegraft
import treegraft.ray
from ray.cluster_utils import Cluster
from treegraft._rows import Operation

REPOSITORIES = 200
# In an archive, the files of a repository may be in one directory.
BAD = {
    "latin.py": "name = 'Zo\xeb'\n".encode("latin-1"),
    "zero.py": b"a == b\0",
    "broken.py": b"def f(:\n    x == (y\n",
    "a b/caf\xe9.py": "café == 'ü'\r\nx == y".encode(),
}
SWAP = {"pattern": "$A == $B", "new_content": "$B == $A"}


def blocks(root: pathlib.Path) -> list[tuple[str, str]]:
    """Returns the files in the pages of cases, and the samples of the languages: extension and text."""
    extensions = {one.name: one.extensions[0] for one in treegraft.languages().languages if one.extensions}
    fence = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)
    found = [
        (extensions[language], text)
        for page in sorted(root.glob("tests/cases/*/*.md"))
        for language, text in fence.findall(page.read_text())
        if language in extensions
    ]
    samples = sorted(root.glob("queries/*/sample.*"))
    found.extend((sample.suffix[1:], sample.read_text()) for sample in samples)
    assert len(found) > REPOSITORIES, len(found)
    return found


def make_repositories(folder: pathlib.Path, root: pathlib.Path) -> list[pathlib.Path]:
    files = blocks(root)
    sources = []
    for number in range(REPOSITORIES):
        own = dict(BAD) if number % 40 == 7 else {}
        for index in range(5):
            extension, text = files[(number * 5 + index) % len(files)]
            own[f"{'src/' * (index % 2)}part{index}.{extension}"] = text.encode()
        own["main.py"] = f"if x == {number}:\n    check(a == b, c)\n".encode()
        name = f"r{number:03}"
        if number % 10 == 3:
            path = folder / f"{name}.tar.gz"
            with tarfile.open(path, "w:gz") as archive:
                for file, content in own.items():
                    member = tarfile.TarInfo(f"{name}-1.0/{file}")
                    member.size = len(content)
                    archive.addfile(member, io.BytesIO(content))
        elif number % 10 == 6:
            path = folder / f"{name}.zip"
            with zipfile.ZipFile(path, "w") as archive:
                for file, content in own.items():
                    archive.writestr(file, content)
        else:
            path = folder / name
            for file, content in own.items():
                (path / file).parent.mkdir(parents=True, exist_ok=True)
                (path / file).write_bytes(content)
            (path / ".git").mkdir()
            (path / ".git/config.py").write_text("a == b\n")
            (path / "link.py").symlink_to("main.py")
        sources.append(path)
    (folder / "cut.tar.gz").write_bytes((folder / "r003.tar.gz").read_bytes()[:200])
    return [*sources, folder / "cut.tar.gz", folder / "missing"]


def in_order(rows: list[dict]) -> list[dict]:
    return sorted(rows, key=lambda row: (row["repository"], row["path"]))


def one_process(rows: list[dict], operation: Operation) -> list[dict]:
    return in_order([operation.run(row) for row in rows])


def content_of(source: pathlib.Path, target: pathlib.Path) -> None:
    """Unpacks a repository."""
    target.mkdir()
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True, symlinks=True)
        shutil.rmtree(target / ".git")
    elif source.suffix == ".zip":
        zipfile.ZipFile(source).extractall(target)
    else:
        with tarfile.open(source) as archive:
            for member in archive.getmembers():
                content = archive.extractfile(member)
                assert content is not None
                file = target / member.name.split("/", 1)[1]
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(content.read())


def check(scratch: pathlib.Path, root: pathlib.Path) -> None:
    folder = scratch / "repositories"
    folder.mkdir()
    sources = make_repositories(folder, root)
    files = treegraft.ray.read_repositories(sources).materialize()
    rows = files.take_all()
    paths = {(row["repository"], row["path"]) for row in rows}
    assert len(paths) == len(rows)
    assert not any(".git" in path or "link" in path or "-1.0" in path for _, path in paths), paths
    for name in ["r000", "r003", "r006"]:
        assert (name, "main.py") in paths, name
    unread = [row for row in rows if row["text"] is None]
    assert {row["repository"] for row in unread} == {"cut", "missing"}, unread

    # A rewrite, and its patches.
    cache = scratch / "cache"
    results = treegraft.ray.rewrite(files, **SWAP, skip_failing=True, cache=cache, workers=2).materialize()
    found = in_order(results.take_all())
    expected = one_process(rows, Operation("rewrite", {**SWAP, "skip_failing": True}))
    assert found == expected
    count = {status: sum(row["status"] == status for row in found) for status in treegraft.ray.STATUSES}
    assert count["edited"] > REPOSITORIES and count["unchanged"] > 100 and count["failed"] == 2, count
    codes = {row["code"] for row in found if row["status"] == "refused"}
    assert {"not_utf8", "binary_file"} <= codes, codes

    patches = treegraft.ray.write_patches(results, scratch / "patches")
    assert len(patches) == REPOSITORIES
    texts = {(row["repository"], row["path"]): row["text"] for row in rows}
    by_name = {source.name.removesuffix(".tar.gz").removesuffix(".zip"): source for source in sources}
    for patch in patches:
        target = scratch / "applied" / patch.repository
        target.parent.mkdir(exist_ok=True)
        content_of(by_name[patch.repository], target)
        subprocess.run(["git", "init", "-q"], cwd=target, check=True)
        subprocess.run(["git", "apply", "--whitespace=nowarn", os.path.abspath(patch.path)], cwd=target, check=True)
    changed = [row for row in found if row["diff"]]
    assert sum(patch.files for patch in patches) == len(changed)
    for row in changed:
        after = (scratch / "applied" / row["repository"] / row["path"]).read_bytes()
        text = treegraft.rewrite(texts[row["repository"], row["path"]], None, file_path=row["path"], skip_failing=True, **SWAP)
        assert after == text.text.encode(), row["path"]

    # A row that is done is not processed again: what the cache says is returned.
    for file in cache.glob("*.parquet"):
        table = pyarrow.parquet.read_table(file)
        marked = [f"kept: {message}" for message in table.column("message").to_pylist()]
        index = table.schema.get_field_index("message")
        pyarrow.parquet.write_table(table.set_column(index, "message", [marked]), file)
    again = in_order(treegraft.ray.rewrite(files, **SWAP, skip_failing=True, cache=cache, workers=2).take_all())
    for old, new in zip(found, again):
        is_kept = bool(old["key"])
        assert new == {**old, "message": f"kept: {old['message']}" if is_kept else old["message"]}, (old, new)
    assert sum(bool(row["key"]) for row in found) > len(found) - 100
    other = treegraft.ray.rewrite(files, **SWAP, cache=cache, workers=1).take_all()
    assert not any(row["message"].startswith("kept") for row in other), "another operation has other results"


def check_faults(scratch: pathlib.Path) -> None:
    """A worker that is killed, and one that needs too much memory, lose no row."""
    rows = [{"repository": "r", "path": f"{number}.py", "text": f"a = {number}\n"} for number in range(600)]
    marker = str(scratch / "killed")

    def edits(row: dict) -> list[dict]:
        if row["path"] == "300.py" and not os.path.exists(marker):
            with open(marker, "w") as file:
                file.write(str(os.getpid()))
            os.kill(os.getpid(), signal.SIGKILL)
        return [{"op": "replace", "selector": "identifier@a", "new_content": "b"}]

    dataset = ray.data.from_items(rows, override_num_blocks=6)
    found = in_order(treegraft.ray.edit(dataset, edits, workers=2).take_all())
    assert os.path.exists(marker)
    assert found == one_process(rows, Operation("edit_nodes", {}, edits)), "the worker that was killed changed the result"
    assert {row["status"] for row in found} == {"edited"}

    large = "a = [" + "1, " * 4_000_000 + "1]\n"
    rows = rows[:50] + [{"repository": "r", "path": "large.py", "text": large}] + rows[50:100]
    found = treegraft.ray.rewrite(
        ray.data.from_items(rows, override_num_blocks=1), "a = $A", "b = $A", workers=1, worker_memory=256 << 20
    ).take_all()
    assert len(found) == len(rows)
    by_path = {row["path"]: row for row in found}
    failed = by_path.pop("large.py")
    assert (failed["status"], failed["code"]) == ("failed", "worker_died"), failed
    assert {row["status"] for row in by_path.values()} == {"edited"}


def main() -> None:
    root = pathlib.Path(sys.argv[1])
    node = {"num_cpus": 1, "object_store_memory": 100 << 20, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "node_ip_address": "127.0.0.1"})
    try:
        cluster.add_node(**node, node_ip_address="127.0.0.1")
        ray.init(address=cluster.address, log_to_driver=False, logging_level="warning")
        with tempfile.TemporaryDirectory() as scratch:
            check(pathlib.Path(scratch), root)
            check_faults(pathlib.Path(scratch))
    finally:
        ray.shutdown()
        cluster.shutdown()
    print("passed")


if __name__ == "__main__":
    main()
