"""Installs the files of a release as a user would, uses them, and uninstalls them.

Everything runs in fresh directories, with a PATH that has neither Rust nor a C compiler, and without network: package
managers get files only. Each installation previews and applies an edit on the command line, serves the official MCP
client, which does the same, and adds a language with a grammar that was built outside of it.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TEXT = 'def greet():\n    return "hello"\n'
PYTHON_PROGRAM = """
import treegraft
with treegraft.Engine() as engine:
    staged = engine.replace_node("greeting.py", 'string@"hello"', '"goodbye"')
    assert '+    return "goodbye"' in staged.diff
    print(engine.apply_edit(staged.edit_id).status)
"""
NEEDED = ["python3", "node", "npm", "npx", "sh", "env"]
OLDEST_GLIBC = (2, 17)


class Failure(Exception):
    """Something is not as it must be."""


def check(folder):
    try:
        with tempfile.TemporaryDirectory() as scratch:
            read_sums(folder)
            Check(folder, Path(scratch)).run()
    except Failure as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    return 0


def read_sums(folder):
    lines = (folder / "SHA256SUMS").read_text().splitlines()
    for line in lines:
        digest, name = line.split("  ")
        content = (folder / name).read_bytes()
        expect(hashlib.sha256(content).hexdigest() == digest, f"{name} does not have its checksum")
    listed = {line.split("  ")[1] for line in lines} | {"SHA256SUMS"}
    expect(listed == {file.name for file in folder.iterdir()}, "SHA256SUMS does not list exactly the files")


class Check:
    def __init__(self, folder, scratch):
        self.folder = folder
        self.scratch = scratch
        self.tools = scratch / "tools"
        self.tools.mkdir()
        self.is_used = False
        for name in NEEDED:
            path = sys.executable if name == "python3" else shutil.which(name)
            expect(path, f"{name} is needed to install the files as a user would")
            (self.tools / name).symlink_to(os.path.realpath(path))
        self.client = os.environ.get("TREEGRAFT_TEST_PYTHON", str(ROOT / "target/test-tools/venv/bin/python"))
        self.grammar = built_grammar(scratch)
        expect(Path(self.client).is_file(), f"{self.client} does not exist; bash tests/all.sh installs the MCP client")

    def run(self):
        self.each("archive", self.archive, "*.tar.gz")
        self.each("MCPB bundle", self.mcpb, "*.mcpb")
        self.each("npm packages", self.npm, "treegraft-linux-*.tgz")
        self.each("wheel", self.wheel, "*.whl")
        expect(self.is_used, "no file is for this machine")
        for sbom in self.folder.glob("*.cdx.json"):
            content = json.loads(sbom.read_text())
            expect(content["bomFormat"] == "CycloneDX" and content["components"], f"{sbom.name} lists nothing")

    def each(self, what, use, files):
        found = sorted(file for file in self.folder.glob(files) if runs_here(file.name))
        for file in found:
            fresh = Fresh(self, file)
            began = time.monotonic()
            use(file, fresh)
            fresh.finish()
            self.is_used = True
            print(f"{file.name}: {what} installed, used and uninstalled in {time.monotonic() - began:.1f} s")

    def archive(self, file, fresh):
        with tarfile.open(file) as archive:
            archive.extractall(fresh.prefix)
        folder = fresh.prefix / file.name.removesuffix(".tar.gz")
        needs_old_libc(folder / "treegraft", file.name)
        fresh.use([folder / "treegraft"])
        shutil.rmtree(folder)

    def mcpb(self, file, fresh):
        folder = fresh.prefix / "bundle"
        fresh.unzip(file, folder)
        manifest = json.loads((folder / "manifest.json").read_text())
        server = manifest["server"]["mcp_config"]
        filled = [word.replace("${__dirname}", str(folder)) for word in [server["command"], *server["args"]]]
        fresh.use(filled[:1], [word.replace("${user_config.root}", str(fresh.project)) for word in filled])
        shutil.rmtree(folder)

    def npm(self, file, fresh):
        launcher = only(self.folder.glob("treegraft-[0-9]*.tgz"))
        npm = ["npm", "--offline", "--no-audit", "--no-fund", "--loglevel", "error", "--prefix", str(fresh.prefix)]
        # npm refuses a package for another libc unless forced to; its static program runs nevertheless.
        npm += ["--force"] if "musl" in file.name else []
        (fresh.prefix / "package.json").write_text('{"private": true}\n')
        fresh.run([*npm, "install", str(file), str(launcher)])
        npx = ["npx", "--offline", "--prefix", fresh.prefix, "treegraft"]
        fresh.use([fresh.prefix / "node_modules/.bin/treegraft"], [*npx, "serve", "--root", fresh.project])
        names = json.loads((fresh.prefix / "package.json").read_text())["dependencies"]
        fresh.run([*npm, "uninstall", *names])
        files = (path for path in (fresh.prefix / "node_modules").rglob("*") if not path.is_dir())
        left = [path for path in files if path.name != ".package-lock.json"]
        expect(not left, f"npm left {left}")
        for name in ["node_modules", "package.json", "package-lock.json"]:
            path = fresh.prefix / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def wheel(self, file, fresh):
        if "musllinux" in file.name:
            self.wheel_for_musl(file, fresh)
            return
        venv = fresh.prefix / "venv"
        fresh.run(["python3", "-m", "venv", str(venv)])
        before = installed(venv)
        pip = [str(venv / "bin/python"), "-m", "pip"]
        fresh.run([*pip, "install", "--no-index", str(file)])
        if "manylinux" in file.name:
            needs_old_libc(venv / "bin/treegraft", file.name)
            module = only((venv / "lib").glob("python*/site-packages/treegraft/_native.*.so"))
            needs_old_libc(module, file.name, "module")
        fresh.use([venv / "bin/treegraft"])
        fresh.use_module(venv / "bin/python")
        fresh.run([*pip, "uninstall", "--yes", "treegraft"])
        left = installed(venv) ^ before
        expect(not left, f"pip left {sorted(left)}")
        shutil.rmtree(venv)

    def wheel_for_musl(self, file, fresh):
        """pip unpacks it here too if told the platform, but then does not record it."""
        venv, target = fresh.prefix / "venv", fresh.prefix / "target"
        fresh.run(["python3", "-m", "venv", str(venv)])
        pip = [str(venv / "bin/python"), "-m", "pip", "install", "--no-index", "--only-binary=:all:"]
        platform = re.search(r"musllinux_\w+", file.name).group(0)
        fresh.run([*pip, "--platform", platform, "--target", str(target), str(file)])
        fresh.use([target / "bin/treegraft"])
        shutil.rmtree(venv)
        shutil.rmtree(target)


class Fresh:
    """A user with an empty home directory, and a project of one file."""

    def __init__(self, check, file):
        self.check = check
        self.is_static = "musl" in file.name
        self.home = check.scratch / file.name / "home"
        self.prefix = check.scratch / file.name / "prefix"
        self.project = check.scratch / file.name / "project"
        for folder in [self.home, self.prefix, self.project]:
            folder.mkdir(parents=True)
        self.environment = {"PATH": str(check.tools), "HOME": str(self.home), "LANG": "C.UTF-8"}
        self.environment["npm_config_cache"] = str(self.home / "npm")
        self.environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
        for name in ["cargo", "rustc", "cc", "git"]:
            expect(not shutil.which(name, path=self.environment["PATH"]), f"{name} is on the PATH of the check")

    def run(self, command, cwd=None, **more):
        done = subprocess.run(
            [str(word) for word in command],
            cwd=cwd or self.project,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            **more,
        )
        expect(done.returncode == 0, f"{command} failed: {done.stdout}{done.stderr}")
        return done.stdout

    def unzip(self, file, folder):
        with zipfile.ZipFile(file) as archive:
            for entry in archive.infolist():
                path = Path(archive.extract(entry, folder))
                path.chmod(entry.external_attr >> 16 & 0o777)

    def use(self, program, server=None):
        """Previews and applies an edit on the command line, and then over MCP."""
        file = self.project / "greeting.py"
        file.write_text(TEXT)
        replace = ["replace", "greeting.py", "--anchor", '"hello"', "--ancestor", "string", "--content", '"goodbye"']
        preview = self.run([*program, *replace])
        expect(file.read_text() == TEXT, "the preview wrote the file")
        edit = re.search(r"treegraft apply (\w+)", preview)
        expect(edit, f"the preview names no command: {preview}")
        self.run([*program, "apply", edit.group(1)])
        expect(file.read_text() == TEXT.replace("hello", "goodbye"), "the edit was not applied")

        file.write_text(TEXT)
        server = server or [*program, "serve", "--root", self.project]
        client = [self.check.client, ROOT / "tests/packaging/client.py", self.project]
        self.run([*client, *server])
        expect(file.read_text() == TEXT.replace("hello", "goodbye"), "the client did not apply the edit")
        self.add_language(program)

    def use_module(self, python):
        """Previews and applies an edit with the Python module."""
        file = self.project / "greeting.py"
        file.write_text(TEXT)
        printed = self.run([python, "-B", "-c", PYTHON_PROGRAM])
        expect(printed == "applied\n", f"the module printed {printed}")
        expect(file.read_text() == TEXT.replace("hello", "goodbye"), "the module did not apply the edit")

    def add_language(self, program):
        """Adds a grammar that the user built, and reads a file with it. A static program cannot, and must say so."""
        add = [*program, "languages", "add", "shop", "--grammar", self.check.grammar]
        add += ["--symbol", "tree_sitter_json", "--extension", "shop"]
        if self.is_static:
            done = subprocess.run(add, cwd=self.project, env=self.environment, capture_output=True, text=True)
            said = "linked statically with musl" in done.stderr
            expect(done.returncode == 3 and said, f"{add}: {done.stdout}{done.stderr}")
            return
        self.run(add)
        (self.project / "tea.shop").write_text('{"tea": 250}\n')
        found = self.run([*program, "find", "tea.shop", "--node-type", "pair"])
        expect("1 " in found and "tea" in found, f"the grammar is not used: {found}")
        self.run([*program, "languages", "remove", "shop"])

    def finish(self):
        """What remains after the removal that docs/installing.md describes."""
        shutil.rmtree(self.home / ".local/state/treegraft")
        shutil.rmtree(self.home / "npm", ignore_errors=True)
        kept = [path for path in self.home.rglob("*") if path.is_file()]
        expect(not kept, f"the home directory still has {kept}")
        kept = list(self.prefix.iterdir())
        expect(not kept, f"the installation left {kept}")


def built_grammar(folder):
    """Builds a shared library from the sources of a grammar that the build has too."""
    metadata = ["cargo", "metadata", "--locked", "--format-version", "1"]
    metadata = json.loads(subprocess.run(metadata, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    package = only(one for one in metadata["packages"] if one["name"] == "tree-sitter-json")
    source = Path(package["manifest_path"]).parent / "src"
    library = folder / "shop.so"
    build = ["cc", "-shared", "-fPIC", "-I", source, source / "parser.c", "-o", library]
    subprocess.run(build, check=True)
    return library


def needs_old_libc(program, name, what="program"):
    """Reads which versions of glibc a program or a module asks for, from the names in its table of symbol versions."""
    versions = re.findall(rb"\0GLIBC_(\d+)\.(\d+)(?:\.\d+)?(?=\0)", program.read_bytes())
    newest = max(((int(major), int(minor)) for major, minor in versions), default=(0, 0))
    shown = ".".join(map(str, newest)) if versions else "no glibc"
    print(f"{name}: the {what} needs {shown}")
    if "manylinux_2_17" in name or "manylinux2014" in name:
        expect(newest <= OLDEST_GLIBC, f"{name} promises glibc 2.17, and the {what} needs {shown}")


def installed(venv):
    return {path for path in venv.rglob("*") if "__pycache__" not in path.parts}


def runs_here(name):
    machine = os.uname().machine
    # A musl program is static, so it runs here.
    names = {"x86_64": ["x86_64", "x64"], "aarch64": ["aarch64", "arm64"]}[machine]
    return any(word in name for word in names)


def expect(holds, message):
    if not holds:
        raise Failure(message)


def only(items):
    found = list(items)
    expect(len(found) == 1, f"expected one, found {found}")
    return found[0]
