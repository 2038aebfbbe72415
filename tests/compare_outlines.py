#!/usr/bin/env python3
"""Compares the symbols of files with those that universal-ctags finds in them.

    python3 tests/compare_outlines.py [--show N] FILE...

A symbol is the same where both have the name on the line. Prints, for each language, how many symbols
both have, and by kind those that only one has, with N examples of each. Needs `ctags` (the package
universal-ctags of Debian) and builds examples/outline.rs.
"""

import argparse
import collections
import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# The ending of a file's name -> the language as ctags calls it, where it would guess another one.
CTAGS_LANGUAGE = {
    ".jsx": "JavaScript",
    ".tsx": "TypeScript",
    ".h": "C",
    ".html": "HTML",
}


def json_lines(command):
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    return [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]


def ctags(file):
    command = ["ctags", "-f", "-", "--output-format=json", "--fields=+nKz", "--kinds-all=*", "--extras=-F"]
    forced = CTAGS_LANGUAGE.get(os.path.splitext(file)[1])
    if forced:
        command.append(f"--language-force={forced}")
    tags = json_lines(command + [file])
    return {(plain(tag["name"]), tag["line"]): tag.get("kind", "?") for tag in tags if tag["_type"] == "tag"}


def own(file):
    """Each symbol with all names it answers to."""
    symbols = json_lines(["target/debug/examples/outline", file])
    names = lambda symbol: {plain(symbol["name"]), plain(symbol["path"][-1])}
    return [(names(symbol), symbol["line"], symbol["kind"]) for symbol in symbols]


def plain(name):
    """A name without quotes, and only the end of one that is qualified."""
    name = name.strip("\"'`")
    return name.replace("::", ".").rsplit(".", 1)[-1] if " " not in name and "." in name.strip(".") else name


def examples(places, shown):
    return "; ".join(f"{name} ({os.path.basename(file)}:{line})" for file, name, line in places[:shown])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--show", type=int, default=3, help="how many examples of each difference")
    arguments = parser.parse_args()
    if shutil.which("ctags") is None:
        sys.exit("compare_outlines.py: there is no ctags; install the package universal-ctags")
    subprocess.run(["cargo", "build", "--quiet", "--example", "outline"], cwd=ROOT, check=True)

    by_language = collections.defaultdict(list)
    for file in arguments.files:
        by_language[os.path.splitext(file)[1] or os.path.basename(file)].append(os.path.abspath(file))
    for ending, files in sorted(by_language.items()):
        both, only_own, only_ctags = 0, collections.defaultdict(list), collections.defaultdict(list)
        for file in files:
            theirs = ctags(file)
            found = set()
            for names, line, kind in own(file):
                same = {(name, line) for name in names} & theirs.keys()
                found |= same
                both += bool(same)
                if not same:
                    only_own[kind].append((file, max(names, key=len), line))
            for name, line in sorted(theirs.keys() - found, key=lambda one: one[1]):
                only_ctags[theirs[name, line]].append((file, name, line))
        print(f"{ending}: {len(files)} files, {both} symbols in both")
        for whose, differences in [("only here", only_own), ("only ctags", only_ctags)]:
            for kind, places in sorted(differences.items(), key=lambda one: -len(one[1])):
                print(f"  {whose}: {len(places)} of kind {kind}: {examples(places, arguments.show)}")


if __name__ == "__main__":
    main()
