"""Runs the example in the docstring of each method of `Engine`."""

import inspect
import os
import pathlib
import sys
import tempfile
import textwrap
import unittest

import treegraft

FILES = {
    "package.json": '{\n  "dependencies": {\n    "left-pad": "1.3.0"\n  }\n}\n',
    "src/a.rs": "fn limit() -> u8 {\n    timeout(30)\n}\n\nfn old() {}\n",
    "src/server.rs": """\
struct Server;

impl Server {
    fn handle(&self, request: Request) -> Response {
        let response = match request.method {
            Method::POST => self.store(request),
            Method::PUT => self.store(request),
        };
        timeout(30);
        return response;
    }
}

fn reply(ready: bool, reply: Response) {
    send(reply);
}

fn main() {
"""
    + "".join(f"    let line_{number} = {number};\n" for number in range(20, 50))
    + "}\n\nfn helper() {}\n",
    "store.py": "class Store:\n    def get(self, key: int) -> int:\n        return key\n",
    "app.py": "from store import Store\n\n\ndef main() -> int:\n    store = Store()\n    return store.get(1)\n",
}

def example_of(method: object) -> str:
    docs = inspect.getdoc(method) or ""
    lines = docs.split("Example:\n", 1)[1].split("\n\n", 1)[0]
    return textwrap.dedent(lines).strip()


class Examples(unittest.TestCase):
    def opened(self) -> treegraft.Engine:
        """Returns an engine for a fresh copy of the files."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name, "project")
        for name, text in FILES.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        engine = treegraft.Engine(root, state_directory=pathlib.Path(folder.name, "state"))
        self.addCleanup(engine.close)
        return engine

    def test_every_example_runs(self) -> None:
        # The language server for Python is installed next to the interpreter.
        search_path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", search_path)
        os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + search_path
        methods = [name for name in vars(treegraft.Engine) if not name.startswith("_") and name != "call"]
        self.assertGreater(len(methods), 25)
        for name in methods:
            with self.subTest(name):
                self.run_example(name)

    def run_example(self, name: str) -> None:
        engine = self.opened()
        example = example_of(getattr(treegraft.Engine, name))
        self.assertTrue(example.startswith(f"engine.{name}("), example)
        if "edbde52b9d658" in example:
            post = "match_arm@Method::POST =>"
            content = "Method::POST => self.create(request),"
            made = engine.replace_node("src/server.rs", post, content, apply=name == "undo_edit")
            example = example.replace("edbde52b9d658", made.edit_id)
        if name == "format":
            # The language server of this test does not format.
            with self.assertRaises(treegraft.Refusal):
                eval(example, {"engine": engine})
            return
        answer = eval(example, {"engine": engine})
        self.assertIn(type(answer).__name__, treegraft.__all__)
        if hasattr(answer, "success"):
            self.assertTrue(answer.success, answer)


if __name__ == "__main__":
    unittest.main()
