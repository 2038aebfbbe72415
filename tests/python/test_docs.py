"""Runs the examples in the docstrings of the package and on its page."""

import contextlib
import doctest
import importlib
import io
import pathlib
import pkgutil
import re
import unittest

import treegraft

PAGE = pathlib.Path(__file__).parents[2] / "docs/python.md"


class Page(unittest.TestCase):
    def test_every_program_on_the_page_runs(self) -> None:
        fences = re.findall(r"^```(python|text)\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
        self.assertGreater(len(fences), 5)
        # The programs of the page build on each other.
        names: dict[str, object] = {"__name__": "page"}
        printed = ""
        for language, text in fences:
            if language == "text":
                self.assertEqual(printed, text)
                printed = ""
                continue
            self.assertEqual(printed, "", "the page does not show what the program prints")
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(text, PAGE.name, "exec"), names)
            printed = output.getvalue()
        self.assertEqual(printed, "")


def load_tests(_loader: unittest.TestLoader, tests: unittest.TestSuite, _pattern: str | None) -> unittest.TestSuite:
    names = [module.name for module in pkgutil.iter_modules(treegraft.__path__) if module.name != "_native"]
    for module in [treegraft, *(importlib.import_module(f"treegraft.{name}") for name in names)]:
        try:
            tests.addTests(doctest.DocTestSuite(module))
        except ValueError:
            # Older versions of Python refuse a module without examples.
            continue
    return tests
