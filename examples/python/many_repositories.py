"""Rewrites a pattern in many repositories with Ray, and writes a patch for each.

    python many_repositories.py 'fetch($A, $B)' 'fetch($B, $A)' repositories/*

Without a cluster, Ray uses the cores of this machine. On a cluster (`ray job submit`), the repositories, `results` and
`patches` are in a file system that all nodes share.
"""

import collections
import sys

import treegraft.ray


def main() -> None:
    pattern, replacement, *sources = sys.argv[1:]
    files = treegraft.ray.read_repositories(sources, include=["*.py"])
    results = treegraft.ray.rewrite(files, pattern, replacement, skip_failing=True, cache="results").materialize()

    statuses = collections.Counter(row["status"] for row in results.iter_rows())
    print(", ".join(f"{count} {status}" for status, count in sorted(statuses.items())))
    for row in results.iter_rows():
        if row["status"] in ("refused", "failed", "partly"):
            print(f"{row['repository']}/{row['path']}: {row['status']}: {row['message']}")
    for patch in treegraft.ray.write_patches(results, "patches"):
        print(f"{patch.path}: changed files: {patch.files}")


if __name__ == "__main__":
    main()
