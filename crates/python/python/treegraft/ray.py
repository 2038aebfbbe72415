"""The same edit in many repositories, on one machine or a cluster, with Ray Data.

Needs `pip install "treegraft[ray]"`. A row of a dataset is a file: `repository`, `path` and `text`. `rewrite` and `edit`
return a row for each of them: what happened, the diff and a digest. A row is never lost: files that cannot be read,
refused edits, and files whose process ended are rows with a `status`, a `code` and a `message`.

    import ray
    import treegraft.ray

    files = treegraft.ray.read_repositories(["repositories/shop", "repositories/site.tar.gz"], include=["*.py"])
    results = treegraft.ray.rewrite(files, "fetch($A, $B)", "fetch($B, $A)", cache="results")
    for patch in treegraft.ray.write_patches(results, "patches"):
        print(patch.path, patch.files)
"""

# pyarrow has no types, and those of Ray are incomplete.
# mypy: disable-error-code="import-untyped,no-untyped-call,union-attr,attr-defined,misc"
# pyright: basic, reportPrivateImportUsage=false

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import tarfile
import tempfile
import urllib.parse
import uuid
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, cast

try:
    import pyarrow as pa
    import pyarrow.parquet
    import ray
    import ray.data
    from ray import cloudpickle
except ImportError as error:  # pragma: no cover - depends on the installation
    raise ImportError('treegraft.ray needs Ray Data: pip install "treegraft[ray]"') from error

from ._rows import STATUSES, Operation, Result, Row, Status, Task, limit_memory, run_isolated

__all__ = ["STATUSES", "Patch", "Result", "Row", "Status", "edit", "read_repositories", "rewrite", "write_patches"]

FILE_BYTES = 16 * 1024 * 1024
"""The maximum size of a file, in bytes."""

WORKER_MEMORY = 4 * 1024**3
"""The default memory that a worker may allocate for its files, in bytes."""

BATCH_ROWS = 128
"""The number of rows that a worker processes at once."""

# What a task that only reads or selects occupies of a core: it must find a place next to the workers.
_READER_CPUS = 0.1

_ROWS = pa.schema(
    [
        ("repository", pa.string()),
        ("path", pa.string()),
        ("text", pa.large_binary()),
        ("code", pa.string()),
        ("message", pa.string()),
    ]
)
_RESULTS = pa.schema(
    [
        ("repository", pa.string()),
        ("path", pa.string()),
        ("status", pa.string()),
        ("diff", pa.large_string()),
        ("digest", pa.string()),
        ("matches", pa.int64()),
        ("code", pa.string()),
        ("message", pa.string()),
        ("key", pa.string()),
    ]
)
_BLOCK_BYTES = 16 * 1024 * 1024
_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".zip")
_SKIPPED = {".git", ".hg", ".svn"}
# The name of the patch of rows without a repository.
_UNNAMED = "repository"


@dataclass(frozen=True)
class Patch:
    """The patch of a repository; `git apply` takes it."""

    repository: str
    path: Path
    files: int
    """The number of changed files."""


def rewrite(
    dataset: ray.data.Dataset,
    pattern: str | None = None,
    new_content: str | None = None,
    *,
    rule: str | Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    language: str | None = None,
    scope: str | None = None,
    symbol_kind: str | None = None,
    skip_failing: bool = False,
    allow: Sequence[str] = (),
    cache: str | os.PathLike[str] | None = None,
    workers: int | tuple[int, int] | None = None,
    worker_memory: int = WORKER_MEMORY,
) -> ray.data.Dataset:
    """Replaces every match of a pattern or a rule in each text.

    Args:
        dataset: Rows with `path` and `text` (text or bytes), and optionally `repository`. The path determines the
            language.
        pattern: The pattern, as in `treegraft.rewrite`.
        new_content: The replacement; may contain the placeholders of the pattern.
        rule: Instead of a pattern: a rule of ast-grep as text, or as a mapping.
        language: Only texts in this language; others stay unchanged. Without it, the pattern must be valid in the language
            of each text, and other texts are refused (`invalid_pattern`).
        scope: Only in symbols with this path, or its end.
        symbol_kind: Only in symbols of this kind.
        skip_failing: Leave out refused matches; by default, one refused match refuses its file.
        allow: Checks that may fail.
        cache: A directory that all workers can write. Results are kept there, and a row is not processed again if its
            text, its path, the operation and the version of treegraft are the same.
        workers: The number of workers, or the least and the most. Default: from one to the number of cores.
        worker_memory: The memory that a worker may allocate for its files, in bytes (on Linux). A file that needs more
            is a row with the status `failed`.

    Returns:
        A row for each row of `dataset`, as described by `Result`.

    Raises:
        ValueError: The arguments do not describe a rewrite.
    """
    if (pattern is None) == (rule is None):
        raise ValueError("a rewrite takes either pattern or rule")
    arguments = {
        "pattern": pattern,
        "new_content": new_content,
        "rule": rule,
        "language": language,
        "scope": scope,
        "symbol_kind": symbol_kind,
        "skip_failing": skip_failing,
        "allow": list(allow),
    }
    given = {name: value for name, value in arguments.items() if value not in (None, [], False)}
    return _mapped(dataset, Operation("rewrite", given), cache, workers, worker_memory)


def edit(
    dataset: ray.data.Dataset,
    edits: Sequence[Mapping[str, Any]] | Callable[[Row], Sequence[Mapping[str, Any]]],
    *,
    allow: Sequence[str] = (),
    cache: str | os.PathLike[str] | None = None,
    workers: int | tuple[int, int] | None = None,
    worker_memory: int = WORKER_MEMORY,
) -> ray.data.Dataset:
    """Makes edits of nodes and texts in each text: all or none of a row.

    Args:
        dataset: As for `rewrite`.
        edits: The edits, as in `treegraft.edit_nodes`, or a function that returns those of a row. A row without edits
            stays unchanged.
        allow: Checks that may fail.
        cache: As for `rewrite`.
        workers: As for `rewrite`.
        worker_memory: As for `rewrite`.

    Returns:
        As for `rewrite`.
    """
    arguments: dict[str, Any] = {"allow": list(allow)} if allow else {}
    if callable(edits):
        operation = Operation("edit_nodes", arguments, edits)
    else:
        operation = Operation("edit_nodes", {**arguments, "edits": [dict(one) for one in edits]})
    return _mapped(dataset, operation, cache, workers, worker_memory)


def read_repositories(
    sources: Iterable[str | os.PathLike[str]] | Mapping[str, str | os.PathLike[str]],
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
) -> ray.data.Dataset:
    """Reads the files of repositories, each in a task: a row of `repository`, `path` and `text` for each file.

    Args:
        sources: Directories and archives (.tar, .tar.gz, .tar.bz2, .tar.xz, .zip) that all workers can read. The name of
            a repository is the name of its directory or archive without extension, or the key of a mapping.
        include: Only files that match one of these globs. A glob without `/` is matched against the name of a file, with
            one against its path; `**` matches any number of directories.
        exclude: No files that match one of these globs.

    Returns:
        The rows. A source or a file that cannot be read is a row without text, with a `code` and a `message`. Links and
        the directories of version control are left out.

    Raises:
        ValueError: Two sources have the same name.
    """
    named = dict(sources) if isinstance(sources, Mapping) else {}
    if not isinstance(sources, Mapping):
        for source in sources:
            name = _name_of(source)
            if name in named:
                message = f"two sources have the name {name!r}: {os.fspath(named[name])} and {os.fspath(source)}"
                raise ValueError(f"{message}; pass a mapping from names to sources")
            named[name] = source
    if not named:
        raise ValueError("there are no sources")
    items = [{"repository": name, "source": os.path.abspath(source)} for name, source in named.items()]
    reader = _Reader([_glob(one) for one in include], [_glob(one) for one in exclude])
    listed = ray.data.from_items(items, override_num_blocks=len(items))
    return listed.map_batches(reader, batch_size=1, batch_format="pyarrow", num_cpus=_READER_CPUS)


def write_patches(results: ray.data.Dataset, directory: str | os.PathLike[str]) -> list[Patch]:
    """Writes a patch for each repository with changed files, `NAME.patch`, and returns them by name.

    `git apply` in the repository makes the changes. The diffs are in the order of their paths. `/` and other special
    characters in the name of a repository are escaped (`%2F`).

    Args:
        results: The rows of `rewrite` or `edit`.
        directory: The directory for the patches, on the machine of the caller; created if it is missing.

    Raises:
        ValueError: There are rows without a repository, and a repository with the name of their patch, `repository`.
    """
    folder = Path(directory)
    folder.mkdir(parents=True, exist_ok=True)
    changed = results.map_batches(_diffs, batch_format="pyarrow", num_cpus=_READER_CPUS)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        # Not all diffs fit into the memory, but those of a repository do.
        parts: dict[str, Path] = {}
        for batch in cast("Iterator[pa.Table]", changed.iter_batches(batch_format="pyarrow")):
            for row in batch.to_pylist():
                part = parts.setdefault(row["repository"], Path(scratch, str(len(parts))))
                with part.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([row["path"], row["diff"]]) + "\n")
        if {"", _UNNAMED} <= parts.keys():
            raise ValueError(f"the patch of rows without a repository is that of the repository {_UNNAMED!r}")
        return [_write_patch(folder, name, parts[name]) for name in sorted(parts)]


def _diffs(batch: pa.Table) -> pa.Table:
    """Returns the rows with a diff."""
    changed = pa.array([bool(diff) for diff in batch.column("diff").to_pylist()], pa.bool_())
    return batch.select(["repository", "path", "diff"]).filter(changed)


def _write_patch(folder: Path, repository: str, part: Path) -> Patch:
    with part.open(encoding="utf-8") as file:
        diffs = sorted(json.loads(line) for line in file)
    name = urllib.parse.quote(repository or _UNNAMED, safe="") + ".patch"
    _replace(folder / name, "".join(diff for _, diff in diffs).encode())
    return Patch(repository, folder / name, len(diffs))


def _replace(path: Path, content: bytes) -> None:
    """Writes a file as a whole."""
    new = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    new.write_bytes(content)
    new.replace(path)


def _mapped(
    dataset: ray.data.Dataset,
    operation: Operation,
    cache: str | os.PathLike[str] | None,
    workers: int | tuple[int, int] | None,
    worker_memory: int,
) -> ray.data.Dataset:
    kept = None
    if cache is not None:
        kept = os.path.abspath(cache)
        os.makedirs(kept, exist_ok=True)
    least, most = (workers, workers) if isinstance(workers, int) else workers or (1, None)
    if most is None:
        most = max(1, int(ray.cluster_resources().get("CPU", 1)))
    return dataset.map_batches(
        _Worker,
        fn_constructor_kwargs={
            "operation": cloudpickle.dumps(operation),
            "begun": _Begun.remote(),
            "cache": kept,
            "index": ray.put(_index_of(kept)),
            "memory": worker_memory,
        },
        batch_size=BATCH_ROWS,
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(min_size=min(least, most), max_size=most),
        num_cpus=1 - _READER_CPUS,
        udf_modifying_row_count=False,
    )


@ray.remote(num_cpus=0, max_restarts=-1, max_task_retries=-1)
class _Begun:
    """The batches that workers have begun and not ended. A batch that begins twice has ended its worker."""

    def __init__(self) -> None:
        self._begun: set[str] = set()

    def begin(self, batch: str) -> bool:
        """Returns whether the batch had begun before."""
        was_begun = batch in self._begun
        self._begun.add(batch)
        return was_begun

    def end(self, batch: str) -> None:
        self._begun.discard(batch)


class _Worker:
    """Processes batches of rows, in an actor that keeps the grammars loaded."""

    def __init__(self, operation: bytes, begun: Any, cache: str | None, index: Any, memory: int) -> None:
        self._operation: Operation = cloudpickle.loads(operation)
        self._begun = begun
        self._cache = cache
        # Ray resolves a reference only in the arguments of its own calls.
        self._index: dict[str, str] = ray.get(index) if isinstance(index, ray.ObjectRef) else index
        self._memory = memory
        limit_memory(memory)

    def __call__(self, batch: pa.Table) -> pa.Table:
        rows = _rows_of(batch)
        name = _digest(f"{row.get('repository')}\0{row['path']}" for row in rows)
        if ray.get(self._begun.begin.remote(name)):
            # Their worker ended. If one of the rows was the reason, only that one fails now.
            results = new = run_isolated(self._operation, rows, self._memory, cloudpickle.dumps)
        else:
            results, new = self._run([self._operation.task(row) for row in rows])
        self._keep(new)
        ray.get(self._begun.end.remote(name))
        return pa.Table.from_pylist(cast("list[dict[str, Any]]", results), schema=_RESULTS)

    def _run(self, tasks: list[Task]) -> tuple[list[Result], list[Result]]:
        """Returns the results of all tasks, and those that are new."""
        known = self._known({task.key for task in tasks})
        results: list[Result] = []
        new: list[Result] = []
        for task in tasks:
            done = known.get(task.key)
            if done is not None:
                results.append({**done, "repository": task.row.get("repository") or ""})
            else:
                results.append(task.run())
                new.append(results[-1])
        return results, new

    def _known(self, wanted: set[str]) -> dict[str, Result]:
        known: dict[str, Result] = {}
        for name in {self._index[key] for key in wanted if key in self._index}:
            for row in pyarrow.parquet.read_table(name).to_pylist():
                if row["key"] in wanted:
                    known[row["key"]] = row
        return known

    def _keep(self, results: list[Result]) -> None:
        done = [one for one in results if one["key"]]
        if self._cache is None or not done:
            return
        table = pa.Table.from_pylist(cast("list[dict[str, Any]]", done), schema=_RESULTS)
        sink = pa.BufferOutputStream()
        pyarrow.parquet.write_table(table, sink)
        name = _digest(one["key"] for one in done)
        _replace(Path(self._cache, f"{name}.parquet"), sink.getvalue().to_pybytes())


def _digest(parts: Iterable[str]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(part.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()


def _rows_of(batch: pa.Table) -> list[Row]:
    missing = {"path", "text"} - set(batch.column_names)
    if missing:
        raise ValueError(f"rows need the columns path and text; {', '.join(sorted(missing))} is missing")
    known = [name for name in _ROWS.names if name in batch.column_names]
    return cast("list[Row]", batch.select(known).to_pylist())


def _index_of(cache: str | None) -> dict[str, str]:
    """Returns the file of the cache that contains each key."""
    index: dict[str, str] = {}
    for file in sorted(Path(cache).glob("*.parquet")) if cache is not None else []:
        for key in pyarrow.parquet.read_table(file, columns=["key"]).column("key").to_pylist():
            index[key] = str(file)
    return index


def _name_of(source: str | os.PathLike[str]) -> str:
    name = os.path.basename(os.path.abspath(source))
    for extension in sorted(_ARCHIVES, key=len, reverse=True):
        if name.endswith(extension) and not os.path.isdir(source):
            return name[: -len(extension)]
    return name


def _glob(pattern: str) -> tuple[re.Pattern[str], bool]:
    """Returns a glob as a regular expression, and whether it is matched against the whole path."""
    text = ""
    index = 0
    while index < len(pattern):
        if pattern.startswith("**/", index):
            text += "(?:[^/]+/)*"
            index += 3
        elif pattern.startswith("**", index):
            text += ".*"
            index += 2
        else:
            character = pattern[index]
            text += {"*": "[^/]*", "?": "[^/]"}.get(character, re.escape(character))
            index += 1
    return re.compile(text), "/" in pattern


class _Reader:
    """Reads the files of a source."""

    def __init__(self, include: list[tuple[re.Pattern[str], bool]], exclude: list[tuple[re.Pattern[str], bool]]) -> None:
        self._include = include
        self._exclude = exclude

    def __call__(self, batch: pa.Table) -> Iterator[pa.Table]:
        rows: list[Row] = []
        size = 0
        for item in batch.to_pylist():
            for row in self._rows(item["repository"], item["source"]):
                rows.append(row)
                size += len(row.get("text") or b"")
                if size >= _BLOCK_BYTES:
                    yield pa.Table.from_pylist(cast("list[dict[str, Any]]", rows), schema=_ROWS)
                    rows, size = [], 0
        yield pa.Table.from_pylist(cast("list[dict[str, Any]]", rows), schema=_ROWS)

    def _rows(self, repository: str, source: str) -> Iterator[Row]:
        try:
            if os.path.isdir(source):
                yield from self._of_directory(repository, source)
            elif source.endswith(".zip"):
                yield from self._of_zip(repository, source)
            else:
                yield from self._of_tar(repository, source)
        except (OSError, tarfile.TarError, zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
            # What was read before stays.
            yield _unread(repository, "", "io_error", f"cannot read {source}: {error or type(error).__name__}")

    def _is_wanted(self, path: str) -> bool:
        name = path.rsplit("/", 1)[-1]

        def matches(globs: list[tuple[re.Pattern[str], bool]]) -> bool:
            return any(glob.fullmatch(path if is_whole else name) for glob, is_whole in globs)

        return (not self._include or matches(self._include)) and not matches(self._exclude)

    def _of_directory(self, repository: str, source: str) -> Iterator[Row]:
        unread: list[OSError] = []
        for folder, folders, names in os.walk(source, onerror=unread.append):
            folders[:] = sorted(name for name in folders if name not in _SKIPPED)
            for name in sorted(names):
                full = os.path.join(folder, name)
                path = os.path.relpath(full, source).replace(os.sep, "/")
                if not self._is_wanted(path):
                    continue
                try:
                    path.encode()
                except UnicodeEncodeError:
                    shown = os.fsencode(path).decode("utf-8", "backslashreplace")
                    yield _unread(repository, shown, "not_utf8", f"the path {shown} is not UTF-8")
                    continue
                yield from self._file(repository, path, full)
        for error in unread:
            yield _unread(repository, "", "io_error", f"cannot read {error.filename}: {error.strerror}")

    def _file(self, repository: str, path: str, full: str) -> Iterator[Row]:
        try:
            status = os.lstat(full)
            if not stat.S_ISREG(status.st_mode):
                return
            if status.st_size > FILE_BYTES:
                yield _too_large(repository, path, status.st_size)
                return
            with open(full, "rb") as file:
                yield {"repository": repository, "path": path, "text": file.read()}
        except OSError as error:
            yield _unread(repository, path, "io_error", f"cannot read {path}: {error.strerror}")

    def _of_tar(self, repository: str, source: str) -> Iterator[Row]:
        with tarfile.open(source) as archive:
            # The content of a hard link is that of its target.
            members = [member for member in archive.getmembers() if member.isfile() or member.islnk()]
            for member, path in _below_top(members, [member.name for member in members]):
                if not self._is_wanted(path):
                    continue
                if member.size > FILE_BYTES:
                    yield _too_large(repository, path, member.size)
                    continue
                content = archive.extractfile(member)
                if content is not None:
                    yield {"repository": repository, "path": path, "text": content.read()}

    def _of_zip(self, repository: str, source: str) -> Iterator[Row]:
        with zipfile.ZipFile(source) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            for member, path in _below_top(members, [member.filename for member in members]):
                is_link = stat.S_ISLNK(member.external_attr >> 16)
                if is_link or not self._is_wanted(path):
                    continue
                if member.file_size > FILE_BYTES:
                    yield _too_large(repository, path, member.file_size)
                    continue
                yield {"repository": repository, "path": path, "text": archive.read(member)}


def _below_top(members: list[Any], names: list[str]) -> Iterator[tuple[Any, str]]:
    """Yields the members of an archive with their paths, below the directory that contains all of them, if there is one.

    Leaves out those of version control, those whose path leads outside, and all but the last of the same path.
    """
    paths = [PurePosixPath(name) for name in names]
    tops = {path.parts[0] for path in paths if path.parts}
    has_top = len(tops) == 1 and all(len(path.parts) > 1 for path in paths)
    last = {path.parts[1:] if has_top else path.parts: index for index, path in enumerate(paths)}
    for parts, index in sorted(last.items()):
        if parts and not _SKIPPED & set(parts) and not {"..", "/"} & set(paths[index].parts):
            yield members[index], "/".join(parts)


def _too_large(repository: str, path: str, size: int) -> Row:
    message = f"`{path}` has {size} bytes, more than the limit of {FILE_BYTES}"
    return _unread(repository, path, "file_too_large", message)


def _unread(repository: str, path: str, code: str, message: str) -> Row:
    return {"repository": repository, "path": path, "text": None, "code": code, "message": message}
