"""Measures the same rewrite in one process, with threads, with `batch --pure`, and on a local Ray cluster.

    python benches/scale.py [--runs N] PROGRAM SOURCE...

PROGRAM is the program `treegraft`; the sources are repositories: directories or archives. Needs an installed
`treegraft[ray]`, built with optimization. Prints a Markdown table; times are those of the texts in memory, without the
start of the cluster, the medians of the runs. Each ratio is to one process.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import resource
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex())
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # Only loopback addresses.

import ray
import treegraft
import treegraft.ray
from ray.cluster_utils import Cluster
from treegraft._rows import Operation

REWRITES = {
    "few": {"pattern": "isinstance($A, dict)", "new_content": "isinstance($A, Mapping)"},
    "many": {"pattern": "$F($A, $B)", "new_content": "$F($B, $A)"},
}


def median_of(run: Callable[[], int], runs: int) -> tuple[float, int]:
    times = []
    changed = 0
    for _ in range(runs):
        start = time.perf_counter()
        changed = run()
        times.append(time.perf_counter() - start)
    return statistics.median(times), changed


def by_program(program: str, rows: list[dict], arguments: dict, jobs: int) -> int:
    call = {"tool": "rewrite", "arguments": {**arguments, "skip_failing": True}}
    lines = [json.dumps({"file_path": row["path"], "text": row["text"].decode(), "calls": [call]}) for row in rows]
    command = [program, "batch", "--pure", "--jobs", str(jobs)]
    with tempfile.TemporaryFile("w+") as input_file:
        input_file.write("\n".join(lines))
        input_file.seek(0)
        output = subprocess.run(command, stdin=input_file, capture_output=True, check=False).stdout
    return sum(json.loads(line)["status"] in ("edited", "partly") for line in output.splitlines())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("sources", metavar="SOURCE", nargs="+")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    node = {"num_cpus": 1, "object_store_memory": 1 << 30, "include_dashboard": False, "node_ip_address": "127.0.0.1"}
    cluster = Cluster(initialize_head=True, head_node_args=node)
    try:
        cluster.add_node(**node)
        ray.init(address=cluster.address, log_to_driver=False, logging_level="warning")
        dataset = treegraft.ray.read_repositories(given.sources, include=["*.py"]).materialize()
        rows = [row for row in dataset.take_all() if is_utf8(row["text"])]
        dataset = ray.data.from_items(rows, override_num_blocks=64).materialize()
        size = sum(len(row["text"]) for row in rows)
        print(f"{len(rows)} Python files, {size / 1e6:.1f} MB")
        print("| rewrite | how | seconds | ratio | files per second | MB per second | changed |")
        print("|---|---|--:|--:|--:|--:|--:|")
        for name, arguments in REWRITES.items():
            measure(name, arguments, rows, dataset, size, given)
    finally:
        ray.shutdown()
        cluster.shutdown()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"memory of this process, with all texts: {peak} MB")


def is_utf8(text: bytes | None) -> bool:
    try:
        return text is not None and text.decode() is not None
    except UnicodeDecodeError:
        return False


def measure(name: str, arguments: dict, rows: list[dict], dataset: ray.data.Dataset, size: int, given: argparse.Namespace) -> None:
    operation = Operation("rewrite", {**arguments, "skip_failing": True})

    def one_process() -> int:
        return sum(bool(operation.run(row)["diff"]) for row in rows)

    def threads() -> int:
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return sum(bool(result["diff"]) for result in pool.map(operation.run, rows))

    def cluster(workers: int) -> Callable[[], int]:
        def run() -> int:
            results = treegraft.ray.rewrite(dataset, **arguments, skip_failing=True, workers=workers)
            return sum(bool(row["diff"]) for row in results.iter_rows())

        return run

    ways: list[tuple[str, Callable[[], int]]] = [
        ("one process", one_process),
        ("2 threads", threads),
        ("`batch --pure --jobs 1`", lambda: by_program(given.program, rows, arguments, 1)),
        ("`batch --pure --jobs 2`", lambda: by_program(given.program, rows, arguments, 2)),
        ("Ray, 1 worker", cluster(1)),
        ("Ray, 2 workers", cluster(2)),
    ]
    alone = None
    for way, run in ways:
        seconds, changed = median_of(run, given.runs)
        alone = alone or seconds
        speed = f"{len(rows) / seconds:,.0f} | {size / seconds / 1e6:.1f}"
        print(f"| {name} | {way} | {seconds:.2f} | {alone / seconds:.2f} | {speed} | {changed} |", flush=True)


if __name__ == "__main__":
    main()
