#!/usr/bin/env python3
"""The time of a call from Python next to the same call in Rust, in one process and in turns; and how much of the call
from Python is spent outside the library.

    cargo build --release --config profile.release.lto=false --package treegraft-python --features timing
    python3 benches/python.py target/release/lib_native.so

With `--once`, each call is made once, to check that the program works.
"""

import pathlib
import shutil
import statistics
import sys
import tempfile
import time

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "crates/python/python/treegraft"
FUNCTION = 'def handle_{n}(request):\n    response = send(request, timeout={n})\n    return response.text + "{n}"\n\n\n'
# Bytes of the text, and calls.
SIZES = [(1_000, 3_000), (10_000, 1_000), (100_000, 200)]


def text_of(size):
    text = ""
    number = 0
    while len(text) < size:
        number += 1
        text += FUNCTION.format(n=number)
    return text, number // 2


def micros(seconds):
    return f"{seconds * 1e6:,.1f}"


def main():
    library = pathlib.Path(sys.argv[1]).resolve()
    once = "--once" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder, "treegraft")
        shutil.copytree(SOURCES, package)
        (package / "_native.abi3.so").symlink_to(library)
        sys.path.insert(0, folder)
        sys.dont_write_bytecode = True
        import treegraft
        from treegraft import _native

        print("| call | text | in Rust, µs | from Python, µs | ratio | outside the library, µs |")
        print("|---|---:|---:|---:|---:|---:|")
        for size, turns in SIZES:
            text, number = text_of(size)
            selector = f"handle_{number}:integer@{number}"
            calls = {
                "edit": (
                    lambda: treegraft.edit(text, "python", selector, "replace", "0"),
                    ("replace_node", {"selector": selector, "new_content": "0"}),
                ),
                "find": (
                    lambda: treegraft.find(text, "python", f"send($A, timeout={number})"),
                    ("find_nodes", {"pattern": f"send($A, timeout={number})"}),
                ),
            }
            for name, (call, (tool, arguments)) in calls.items():
                in_python, in_rust, outside = [], [], []
                for turn in range(1 if once else turns):
                    # Neither is always the first.
                    for is_python in (True, False) if turn % 2 else (False, True):
                        if is_python:
                            began = time.perf_counter()
                            call()
                            took = time.perf_counter() - began
                            in_python.append(took)
                            outside.append(took - _native.time_of_last_call())
                        else:
                            in_rust.append(_native.time_of_call_on_text(tool, text, "python", arguments))
                rust, python, added = map(statistics.median, [in_rust, in_python, outside])
                print(
                    f"| `{name}` | {len(text):,} bytes | {micros(rust)} | {micros(python)} "
                    f"| {python / rust:.2f} | {micros(added)} |"
                )


if __name__ == "__main__":
    main()
