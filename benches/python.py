#!/usr/bin/env python3
"""The time of a call from Python next to the same call in Rust, in one process and in turns.

    cargo build --release --config profile.release.lto=false --package treegraft-python --features timing
    python3 benches/python.py target/release/lib_native.so

The time inside the library varies more than Python adds, so what Python adds is the difference of the times outside of the
library: from Python, and in Rust. Part of it is what every compiled function adds that returns after such a call, since the
call has displaced the interpreter from the caches of the processor.

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
# Calls of one kind before those of the other.
BLOCK = 10
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
        from treegraft._native import RustCall, time_of_last_call

        print("| call | text | in Rust, µs | from Python, µs | ratio | longer, µs | every function, µs |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        for size, turns in SIZES:
            text, number = text_of(size)
            last = f"timeout={number})"
            selector, pattern = f"handle_{number}:integer@{number}", f"send($A, {last}"
            # Each call from Python, and in Rust.
            calls = {
                # The library parses no plain text, and so leaves the interpreter in the caches.
                "`edit` of plain text": (
                    lambda: treegraft.edit(text, "text", last, "replace_text", "timeout=0)"),
                    RustCall("replace_text", text, "text", {"find": last, "new_content": "timeout=0)"}),
                ),
                "`edit`": (
                    lambda: treegraft.edit(text, "python", selector, "replace", "0"),
                    RustCall("replace_node", text, "python", {"selector": selector, "new_content": "0"}),
                ),
                "`find`": (
                    lambda: treegraft.find(text, "python", pattern),
                    RustCall("find_nodes", text, "python", {"pattern": pattern}),
                ),
            }
            for name, (call, rust_call) in calls.items():
                python, rust, around_python, around_rust, around_function = [], [], [], [], []
                # In blocks: the C library puts the memory of a parse in order at the next large allocation, which would be
                # in the next call of the other kind. The first call of a block is not counted.
                for block in range(1 if once else turns // BLOCK):
                    for is_python in (True, False) if block % 2 else (False, True):
                        for turn in range(BLOCK + 1):
                            began = time.perf_counter()
                            returned = call() if is_python else rust_call.time()
                            took = time.perf_counter() - began
                            inside = time_of_last_call()
                            if turn > 0 and is_python:
                                python.append(took)
                                around_python.append(took - inside)
                            elif turn > 0:
                                rust.append(returned)
                                around_rust.append(returned - inside)
                                around_function.append(took - inside)
                in_python, in_rust = statistics.median(python), statistics.median(rust)
                outside = statistics.median(around_rust)
                print(
                    f"| {name} | {len(text):,} bytes | {micros(in_rust)} | {micros(in_python)} | {in_python / in_rust:.2f} "
                    f"| {micros(statistics.median(around_python) - outside)} "
                    f"| {micros(statistics.median(around_function) - outside)} |"
                )


if __name__ == "__main__":
    main()
