"""One operation on many texts: a row in, a row out.

`treegraft.ray` maps it over a cluster. `python -m treegraft._rows` does the same in a process of its own, which may end.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from ._native import __version__, edit_text
from ._refusal import Refusal

Status = Literal["edited", "partly", "unchanged", "refused", "failed"]
"""What happened to the text of a row.

`partly`: edited, except for matches that `skip_failing` left out. `refused`: treegraft refused the operation. `failed`: the
row was not processed, for example because its archive cannot be read or its process ended.
"""

STATUSES: tuple[Status, ...] = ("edited", "partly", "unchanged", "refused", "failed")


class _Named(TypedDict):
    path: str
    """The path in the repository, with `/`."""


class Row(_Named, total=False):
    """The text of a file."""

    repository: str
    text: str | bytes | None
    code: str | None
    """Why there is no text: the code of a failure, and its message."""
    message: str | None


class Result(TypedDict):
    """What happened to a row."""

    repository: str
    path: str
    status: Status
    diff: str
    digest: str
    """The BLAKE3 digest of the text afterwards; empty if nothing was done with it."""
    matches: int
    """The number of replaced matches of a rewrite, or of made edits."""
    code: str
    message: str
    key: str
    """Identifies the text, the path, the operation and the version of treegraft."""


@dataclass(frozen=True)
class Operation:
    """The same call for each text."""

    tool: Literal["rewrite", "edit_nodes"]
    arguments: Mapping[str, Any]
    edits: Callable[[Row], Sequence[Mapping[str, Any]]] | None = None
    """Returns the edits of a row, if they differ between rows."""

    def task(self, row: Row) -> Task:
        """Returns what is to be done with a row. Nothing is raised for a single row."""
        if row.get("text") is None:
            code, message = row.get("code") or "io_error", row.get("message") or "the row has no text"
            return Task(self.tool, row, failure=result(row, "failed", code=code, message=message))
        arguments = dict(self.arguments)
        try:
            if self.edits is not None:
                arguments["edits"] = list(self.edits(row))
            return Task(self.tool, row, arguments, _key(self.tool, row, arguments))
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            return Task(self.tool, row, failure=result(row, "failed", code="error", message=message))

    def run(self, row: Row) -> Result:
        """Returns what happens to a row."""
        return self.task(row).run()


@dataclass(frozen=True)
class Task:
    """The call for one text."""

    tool: str
    row: Row
    arguments: dict[str, Any] = field(default_factory=dict[str, Any])
    key: str = ""
    """Identifies the result: equal keys, equal results. Empty if there is a failure."""
    failure: Result | None = None

    def run(self) -> Result:
        """Makes the call."""
        row, text = self.row, self.row.get("text")
        if self.failure is not None or text is None:
            return self.failure or result(row, "failed")
        if self.arguments.get("edits") == []:
            # A call without edits would be refused.
            return result(row, "unchanged", key=self.key)
        try:
            edited = edit_text(self.tool, text, None, row["path"], self.arguments)
        except Refusal as refusal:
            return result(row, "refused", code=refusal.code, message=refusal.message, key=self.key)
        except Exception as error:
            return result(row, "failed", code="error", message=f"{type(error).__name__}: {error}")
        matches = edited.matches
        if matches is not None:
            made, refused = matches.replaced, matches.refused_total
        else:
            made = sum(len(file.edits) or 1 for file in edited.answer.files) if edited.changed else 0
            refused = 0
        status: Status = "unchanged"
        if edited.changed:
            status = "partly" if refused else "edited"
        message = f"{refused} matches were refused" if refused else ""
        return result(
            row, status, diff=edited.diff, digest=edited.digest, matches=made, message=message, key=self.key
        )


def _key(tool: str, row: Row, arguments: Mapping[str, Any]) -> str:
    call = json.dumps([__version__, tool, arguments], sort_keys=True)
    digest = hashlib.blake2b(digest_size=16)
    for part in (call, row["path"], row.get("text") or ""):
        content = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8, "big"))
        digest.update(content)
    return digest.hexdigest()


def result(
    row: Row,
    status: Status,
    *,
    diff: str = "",
    digest: str = "",
    matches: int = 0,
    code: str = "",
    message: str = "",
    key: str = "",
) -> Result:
    """Returns the result of a row."""
    return {
        "repository": row.get("repository") or "",
        "path": row["path"],
        "status": status,
        "diff": diff,
        "digest": digest,
        "matches": matches,
        "code": code,
        "message": message,
        "key": key,
    }


def limit_memory(more: int) -> None:
    """Limits the memory that this process may still allocate, in bytes. Linux only; elsewhere it has no effect."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            fields = dict(line.split(":", 1) for line in status)
        used = int(fields["VmData"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = used + more
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


def run_isolated(
    operation: Operation, rows: Sequence[Row], memory: int, pickled: Callable[[Any], bytes] = pickle.dumps
) -> list[Result]:
    """Does the same as `Operation.run` for each row, in another process: if that ends, only one row fails.

    `pickled` turns the operation into bytes for `pickle`; functions of a script need more than `pickle.dumps`.
    """
    results: list[Result] = []
    while len(results) < len(rows):
        left = rows[len(results) :]
        command = [sys.executable, "-m", "treegraft._rows"]
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
            sent = threading.Thread(target=_send, args=(process, pickled((operation, left, memory))))
            sent.start()
            results.extend(_received(process))
            code = process.wait()
            sent.join()
            errors.seek(0)
            last = errors.read().decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]
        if len(results) < len(rows):
            ended = signal.Signals(-code).name if code < 0 else f"exit code {code}"
            message = f"the process of this file ended with {ended}; it may use {memory >> 20} MB"
            message = f"{message}: {last}" if last else message
            results.append(result(rows[len(results)], "failed", code="worker_died", message=message))
    return results


def _send(process: subprocess.Popen[bytes], content: bytes) -> None:
    # A process that has ended reads nothing; its exit code says so.
    with contextlib.suppress(BrokenPipeError), process.stdin or io.BytesIO() as stdin:
        stdin.write(content)


def _received(process: subprocess.Popen[bytes]) -> Iterator[Result]:
    with process.stdout or io.BytesIO() as stdout:
        while True:
            try:
                yield pickle.load(stdout)
            except (EOFError, pickle.UnpicklingError):
                return


def _main() -> None:
    operation, rows, memory = pickle.loads(sys.stdin.buffer.read())
    # What a function of the operation prints is no result.
    with os.fdopen(os.dup(1), "wb") as results:
        os.dup2(2, 1)
        limit_memory(memory)
        for row in rows:
            results.write(pickle.dumps(operation.run(row)))
            results.flush()


if __name__ == "__main__":
    _main()
