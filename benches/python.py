#!/usr/bin/env python3
"""The time of a call from Python next to the same call in Rust, in one process and in turns: how much longer it takes,
and how much of it is spent outside the library.

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
        from treegraft import _native

        print("| call | text | in Rust, µs | from Python, µs | ratio | longer, µs | outside the library, µs |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        for size, turns in SIZES:
            text, number = text_of(size)
            selector = f"handle_{number}:integer@{number}"
            last = f"timeout={number})"
            # The arguments of each call: from Python, and in Rust.
            calls = {
                # The library parses no plain text, and so leaves the interpreter in the processor's caches.
                ("`edit` of plain text", treegraft.edit): (
                    (text, "text", last, "replace_text", "timeout=0)"),
                    ("replace_text", text, "text", {"find": last, "new_content": "timeout=0)"}),
                ),
                ("`edit`", treegraft.edit): (
                    (text, "python", selector, "replace", "0"),
                    ("replace_node", text, "python", {"selector": selector, "new_content": "0"}),
                ),
                ("`find`", treegraft.find): (
                    (text, "python", f"send($A, {last}"),
                    ("find_nodes", text, "python", {"pattern": f"send($A, {last}"}),
                ),
            }
            for (name, call), (python_arguments, rust_arguments) in calls.items():
                in_python, in_rust, longer, outside = [], [], [], []
                # In blocks: the C library puts the memory of a parse in order at the next large allocation, which would be
                # in the next call of the other kind. The first call of a block is not counted.
                for block in range(1 if once else turns // BLOCK):
                    of_block = {True: [], False: []}
                    for is_python in (True, False) if block % 2 else (False, True):
                        for turn in range(BLOCK + 1):
                            if is_python:
                                began = time.perf_counter()
                                call(*python_arguments)
                                took = time.perf_counter() - began
                                inside = _native.time_of_last_call()
                                if turn > 0:
                                    outside.append(took - inside)
                            else:
                                took = _native.time_of_call_on_text(*rust_arguments)
                            if turn > 0:
                                of_block[is_python].append(took)
                    in_python += of_block[True]
                    in_rust += of_block[False]
                    longer.append(statistics.median(of_block[True]) - statistics.median(of_block[False]))
                rust, python, more, around = map(statistics.median, [in_rust, in_python, longer, outside])
                print(
                    f"| {name} | {len(text):,} bytes | {micros(rust)} | {micros(python)} "
                    f"| {python / rust:.2f} | {micros(more)} | {micros(around)} |"
                )


if __name__ == "__main__":
    main()
