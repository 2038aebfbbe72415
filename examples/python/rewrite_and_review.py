"""Finds a pattern in a directory, rewrites it, shows the diff, and stages the edit for review.

    python rewrite_and_review.py DIRECTORY 'fetch($A, $B)' 'fetch($B, $A)'

Nothing is written: `treegraft review` shows the staged edit and asks whether to write it.
"""

import sys

import treegraft


def main() -> None:
    directory, pattern, replacement = sys.argv[1:]
    with treegraft.Engine(directory) as engine:
        # %% Find: where is the pattern, and what do its placeholders capture?
        found = engine.find_nodes(".", pattern=pattern)
        total = found.total or len(found.matches)
        print(f"{total} matches")
        for match in found.matches[:3]:
            captures = {capture.name: capture.text for capture in match.captures}
            print(f"  {match.file_path}:{match.line}: {match.text} {captures}")

        # %% Rewrite: matches that cannot be rewritten safely are left out, with the reason.
        staged = engine.rewrite(pattern, replacement, ".", skip_failing=True, diff="full")
        if staged.matches is None or not staged.edit_id:
            print("nothing to rewrite")
            return
        for refused in staged.matches.refused:
            print(f"left out {refused.file_path}:{refused.line}: {refused.message}")
        for file in staged.files:
            print(file.diff, end="")

        # %% Review: a person decides, in a browser or in the terminal.
        print(f"staged {staged.matches.replaced} matches as {staged.edit_id}")
        print(f"review them: treegraft review --root {engine.roots[0]}")


if __name__ == "__main__":
    try:
        main()
    except treegraft.Refusal as refusal:
        sys.exit(str(refusal))
