#!/usr/bin/env python3
"""Compares the symbols of files with those that another program finds in them.

    python3 tests/compare_outlines.py [--show N] FILE...

The other program is universal-ctags (`ctags`, from the Debian package of that name). For languages that it
supports badly or not at all, the script uses what editors use, if it is installed: TypeScript's navigation
tree for JavaScript, JSX, TypeScript and TSX, vscode-css-languageservice for CSS (`npm install typescript@5
vscode-css-languageservice`, with NODE_PATH set to them), PyYAML for YAML, Python's own tomllib for TOML.
Two symbols are the same if they have the same name on the same line; in TOML, the same path. Prints, for
each language, how many symbols both programs found, and by kind those that only one found, with N examples
of each. Builds examples/outline.rs.
"""

import argparse
import collections
import functools
import importlib.util
import json
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Extension -> the language name of ctags, if ctags would guess another language.
CTAGS_LANGUAGE = {".jsx": "JavaScript", ".tsx": "TypeScript", ".h": "C", ".html": "HTML"}

# Extensions of the same language.
SAME_LANGUAGE = {
    ".yml": ".yaml",
    **dict.fromkeys([".cc", ".cxx", ".hpp", ".hh", ".hxx"], ".cpp"),
    **dict.fromkeys([".mjs", ".cjs"], ".js"),
    **dict.fromkeys([".mts", ".cts"], ".ts"),
}

# Prints `{"name", "line", "kind"}` for each symbol of a file, as in the editor's outline.
TYPESCRIPT = """
const ts = require('typescript'), fs = require('fs');
const file = process.argv[1], text = fs.readFileSync(file, 'utf8');
const host = {
  getCompilationSettings: () => ({ allowJs: true, noLib: true, noResolve: true }),
  getScriptFileNames: () => [file],
  getScriptVersion: () => '1',
  getScriptSnapshot: name => name === file ? ts.ScriptSnapshot.fromString(text) : undefined,
  getCurrentDirectory: () => '/',
  getDefaultLibFileName: () => 'lib.d.ts',
  readFile: () => undefined,
  fileExists: name => name === file,
};
const starts = ts.computeLineStarts(text);
function show(node) {
  const span = node.nameSpan || node.spans[0];
  const line = ts.computeLineAndCharacterOfPosition(starts, span.start).line + 1;
  console.log(JSON.stringify({ name: node.text, line, kind: node.kind }));
  (node.childItems || []).forEach(show);
}
const tree = ts.createLanguageService(host, ts.createDocumentRegistry(), ts.LanguageServiceMode.Syntactic)
  .getNavigationTree(file);
(tree.childItems || []).forEach(show);
"""
CSS = """
const css = require('vscode-css-languageservice'), fs = require('fs');
const text = fs.readFileSync(process.argv[1], 'utf8');
const service = css.getCSSLanguageService();
const file = { uri: 'file:///a.css', languageId: 'css', version: 1, getText: () => text, lineCount: 0 };
const starts = [0];
for (let at = 0; (at = text.indexOf('\\n', at) + 1) > 0;) starts.push(at);
file.positionAt = offset => {
  const line = starts.findLastIndex(start => start <= offset);
  return { line, character: offset - starts[line] };
};
file.offsetAt = position => starts[position.line] + position.character;
for (const symbol of service.findDocumentSymbols(file, service.parseStylesheet(file)))
  console.log(JSON.stringify({
    name: symbol.name, line: symbol.location.range.start.line + 1, kind: 'selector or at-rule' }));
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--show", type=int, default=3, help="how many examples of each difference")
    arguments = parser.parse_args()
    subprocess.run(["cargo", "build", "--quiet", "--example", "outline"], cwd=ROOT, check=True)

    by_language = collections.defaultdict(list)
    for file in arguments.files:
        by_language[language_of(file)].append(os.path.abspath(file))
    for extension, files in sorted(by_language.items()):
        reader, read = other_source(extension)
        both, only_own, only_theirs = 0, collections.defaultdict(list), collections.defaultdict(list)
        for file in files:
            theirs = read(file)
            found = set()
            for names, lines, kind in own(file, extension):
                same = {(name, line) for name in names for line in lines} & theirs.keys()
                both += bool(same)
                found |= same
                if not same:
                    only_own[kind].append((file, max(names, key=len), lines[0]))
            for name, line in sorted(theirs.keys() - found, key=lambda one: one[1]):
                only_theirs[theirs[name, line]].append((file, name, line))
        alone = [sum(map(len, differences.values())) for differences in (only_own, only_theirs)]
        print(f"{extension}: {len(files)} files, {both} symbols in both, {alone[0]} only here, {alone[1]} only {reader}")
        for whose, differences in [("here", only_own), (reader, only_theirs)]:
            for kind, places in sorted(differences.items(), key=lambda one: -len(one[1])):
                print(f"  only {whose}: {len(places)} of kind {kind}: {examples(places, arguments.show)}")


def language_of(file):
    """Returns the extension of the file; `.sh` if the first line names a shell."""
    with open(file, "rb") as opened:
        first = opened.readline()
    if first.startswith(b"#!") and first.split()[0].endswith(b"sh"):
        return ".sh"
    extension = os.path.splitext(file)[1] or os.path.basename(file)
    return SAME_LANGUAGE.get(extension, extension)


def other_source(extension):
    """Returns the program for files with an extension: its name, and a function from a file to its symbols."""
    if extension in (".js", ".jsx", ".ts", ".tsx") and has_module("typescript"):
        return "typescript", functools.partial(from_node, TYPESCRIPT)
    if extension == ".css" and has_module("vscode-css-languageservice"):
        return "vscode-css-languageservice", functools.partial(from_node, CSS)
    if extension == ".yaml" and importlib.util.find_spec("yaml"):
        return "PyYAML", from_yaml
    if extension == ".toml":
        return "tomllib", from_toml
    if shutil.which("ctags") is None:
        sys.exit("compare_outlines.py: ctags is not installed; install the package universal-ctags")
    return "ctags", from_ctags


def has_module(name):
    command = ["node", "-e", f"require({name!r})"]
    return shutil.which("node") is not None and subprocess.run(command, capture_output=True).returncode == 0


def json_lines(command):
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    return [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]


def own(file, extension):
    """Returns each symbol: its possible names, the possible lines of its name, its kind."""
    symbols = json_lines(["target/debug/examples/outline", file])
    if extension == ".toml":
        paths = numbered(bare(symbol["path"]) for symbol in symbols)
        return [({path}, [number], symbol["kind"]) for (path, number), symbol in zip(paths, symbols)]
    spelled = []
    for symbol in symbols:
        names = {plain(symbol["name"]), plain(symbol["path"][-1])}
        if extension == ".css":
            # A rule is one symbol, even with several selectors.
            names |= {plain(part) for part in symbol["name"].split(",")}
        spelled.append((names, range(symbol["line"], symbol["end_line"] + 1), symbol["kind"]))
    return spelled


def from_ctags(file):
    command = ["ctags", "-f", "-", "--output-format=json", "--fields=+nKz", "--kinds-all=*"]
    forced = CTAGS_LANGUAGE.get(os.path.splitext(file)[1])
    if forced:
        command.append(f"--language-force={forced}")
    tags = json_lines(command + [file])
    return {(plain(tag["name"]), tag["line"]): tag.get("kind", "?") for tag in tags if tag["_type"] == "tag"}


def from_node(program, file):
    symbols = json_lines(["node", "-e", program, file])
    return {(plain(symbol["name"]), symbol["line"]): symbol["kind"] for symbol in symbols}


def from_toml(file):
    import tomllib

    def paths(value, above):
        for one in value if isinstance(value, list) else [value]:
            for key, inner in one.items() if isinstance(one, dict) else []:
                path = above + [key]
                # An array of tables has no path itself, but each of its tables has one.
                tables = inner if isinstance(inner, list) and any(isinstance(one, dict) for one in inner) else [inner]
                for table in tables:
                    yield path, "table" if isinstance(table, dict) else "key"
                    yield from paths(table, path)

    with open(file, "rb") as opened:
        all_paths = list(paths(tomllib.load(opened), []))
    return dict(zip(numbered(bare(path) for path, _ in all_paths), (kind for _, kind in all_paths)))


def from_yaml(file):
    import yaml

    keys = {}

    def walk(node):
        for inner in node.value if not isinstance(node, yaml.ScalarNode) else []:
            for one in inner if isinstance(inner, tuple) else [inner]:
                walk(one)
            if isinstance(inner, tuple) and isinstance(inner[0], yaml.ScalarNode):
                keys[plain(inner[0].value), inner[0].start_mark.line + 1] = "key"

    with open(file, encoding="utf-8") as opened:
        for document in yaml.compose_all(opened, Loader=yaml.SafeLoader):
            walk(document)
    return keys


def numbered(paths):
    """Numbers the occurrences of each path."""
    seen = collections.Counter()
    pairs = []
    for path in paths:
        seen[path] += 1
        pairs.append((path, seen[path]))
    return pairs


def bare(path):
    """Joins a TOML path without quotes: a header may be one name, `a."b.c"`, or three."""
    return ".".join(path).replace('"', "").replace("'", "").replace("\\", "")


def plain(name):
    """Removes quotes, spaces and qualifiers from a name."""
    name = "".join(name.strip("\"'`").split())
    name = name.removeprefix("::").replace("::", ".")
    return name.rsplit(".", 1)[-1] if "." in name.strip(".") else name


def examples(places, shown):
    return "; ".join(f"{name[:60]} ({os.path.basename(file)}:{line})" for file, name, line in places[:shown])


if __name__ == "__main__":
    main()
