"""Generates the seed inputs for fuzzing and a dictionary from the cases in tests/cases.

Input: every request of the pages tests/cases/*/*.md with its file. tests/pages.rs defines the format and checks it.
Output: fuzz/corpus/<target>/*, in the format that the first lines of each target describe, and
fuzz/corpus/words.dict.
"""

import json
import pathlib
import random
import re
import shutil

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE.parent
CORPUS = HERE / "corpus"
LONGEST = 4096
POSITIONS = ["before", "after", "first_child", "last_child"]
DELETES, WRAPS, REPLACES_TEXT, REPLACES = 4, 5, 6, 7


def main():
    if CORPUS.exists():
        shutil.rmtree(CORPUS)
    rng = random.Random(1)
    words = set()
    for page in sorted(PROJECT.glob("tests/cases/*/*.md")):
        for line, before, file, tool, arguments in cases(page):
            name = f"{page.parent.name}-{page.stem}-{line}"
            for target, data in [
                ("locate", locate(before, arguments, file)),
                ("edit", edit(before, tool, arguments, file)),
                ("arguments", call(before, tool, arguments, file, rng)),
            ]:
                if data and len(data) <= LONGEST:
                    write(target, name, data)
            words |= words_of(arguments)
            words.add(before)
    for number in range(64):
        write("state", str(number), b"one\ntwo\0" + rng.randbytes(8 + number))
    dictionary(words)


def cases(page):
    """Yields each request of a page: its line, the name and bytes of its file, the tool and the arguments."""
    language = page.parent.name
    sample = next((PROJECT / "queries" / language).glob("sample.*"))
    name, text, fence, is_answer = None, None, None, False
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        if fence and line == fence:
            words, content = info.split(), "".join(f"{one}\n" for one in body)
            if is_answer:
                is_answer = False
            elif words[0] == "json" and len(words) == 2 and not is_setting(words[1]):
                yield start, name, text, words[1], json.loads(content)
                is_answer = True
            elif words[0] == language:
                name = next((word[5:] for word in words if word.startswith("file=")), f"before{sample.suffix}")
                text = file_of(content, words[1:])
            fence = None
        elif fence:
            body.append(line)
        elif opened := re.match(r"(`{3,}|~{3,})(.*)$", line):
            (fence, info), start, body = opened.groups(), number, []


def is_setting(word):
    return "=" in word or word in ("bom", "crlf", "escapes", "no-final-newline")


def file_of(content, settings):
    if "escapes" in settings:
        plain = {"r": "\r", "t": "\t", "\\": "\\"}
        escape = r"\\(?:u\{([0-9a-f]+)\}|([rt\\]))"
        content = re.sub(escape, lambda one: chr(int(one[1], 16)) if one[1] else plain[one[2]], content)
    if "crlf" in settings:
        content = content.replace("\n", "\r\n")
    if "no-final-newline" in settings:
        content = content.rstrip("\r\n")
    if "bom" in settings:
        content = "\ufeff" + content
    return content.encode()


def write(target, name, data):
    directory = CORPUS / target
    directory.mkdir(parents=True, exist_ok=True)
    (directory / name).write_bytes(data)


def joined(*parts):
    return b"\0".join(part if isinstance(part, bytes) else part.encode() for part in parts)


def locate(name, arguments, file):
    asked = arguments.get("locate")
    if isinstance(asked, str):
        return joined(asked, file)
    selector = arguments.get("selector")
    if isinstance(selector, dict):
        find = selector.get("anchor_text") or selector.get("find") or ""
        return joined(f"{name}:{scope_text(selector.get('scope'))}@{find}", file)
    return None


def scope_text(scope):
    if not isinstance(scope, dict):
        return scope if isinstance(scope, str) else ""
    lines = scope.get("line")
    if isinstance(lines, list):
        return ",".join(map(str, lines))
    if lines is not None:
        return str(lines)
    path = scope.get("symbol_path", [])
    return ".".join(path) if isinstance(path, list) else str(path)


def edit(name, tool, arguments, file):
    selector = arguments if tool == "replace_text" else arguments.get("selector")
    if isinstance(selector, str) and "@" in selector:
        head, anchor = selector.split("@", 1)
        scope, _, node_type = head.rpartition(":")
        selector = {"anchor_text": anchor, "ancestor_node_type": node_type, "scope": scope}
    if not isinstance(selector, dict) or tool in ("read_node", "move_node"):
        return None
    is_find = "find" in selector
    anchor = selector.get("find" if is_find else "anchor_text", "")
    types = selector.get("ancestor_node_type", [])
    types = types if isinstance(types, list) else [types]
    flags = 4 * is_find + 8 * (arguments.get("indent") == "verbatim")
    flags += 16 * bool(arguments.get("include_attached"))
    which = int(selector.get("nth", 0)) & 3 | (int(selector.get("outward", 0)) & 3) << 2
    which |= (int(selector.get("sibling", 0)) & 15) << 4
    operation = {
        "delete_node": DELETES,
        "wrap_node": WRAPS,
        "replace_text": REPLACES_TEXT,
        "replace_node": REPLACES,
    }.get(tool)
    if operation is None:
        position = arguments.get("position")
        operation = POSITIONS.index(position) if position in POSITIONS else 1
    decisions = bytes([flags, 7 * bool(arguments.get("allow")), 0, 0, 0, 0, which, operation])
    scope = scope_text(selector.get("scope"))
    content = str(arguments.get("new_content", ""))
    return decisions + joined(name, scope, str(anchor), " ".join(map(str, types)), content, file)


def call(name, tool, arguments, file, rng):
    arguments = dict(arguments)
    if "locate" not in arguments:
        arguments["path" if tool in ("outline", "find_nodes") else "file_path"] = name
    return joined(name, file, tool, json.dumps(arguments), rng.randbytes(48))


def words_of(value):
    if isinstance(value, dict):
        return set(value).union(*(words_of(inner) for inner in value.values()))
    if isinstance(value, list):
        return set().union(*map(words_of, value))
    return {value} if isinstance(value, str) and len(value) <= 24 else set()


def dictionary(words):
    for kinds in PROJECT.glob("queries/*/*.scm"):
        words |= set(re.findall(r"\((\w+)", kinds.read_text()))
    words |= {"<|>", "<<|>>", "\ufeff", "\r\n", "\r", "\t", "\u00e9", "\U0001f600", "\u2028", "\0"}
    escaped = "".join(
        '"' + "".join(f"\\x{byte:02x}" for byte in word.encode()) + '"\n'
        for word in sorted(words) if word
    )
    (CORPUS / "words.dict").write_text(escaped)


main()
