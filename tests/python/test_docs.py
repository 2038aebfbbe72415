"""Runs the examples in the docstrings of the package."""

import doctest
import importlib
import pkgutil
import unittest

import treegraft


def load_tests(_loader: unittest.TestLoader, tests: unittest.TestSuite, _pattern: str | None) -> unittest.TestSuite:
    names = [module.name for module in pkgutil.iter_modules(treegraft.__path__) if module.name != "_native"]
    for module in [treegraft, *(importlib.import_module(f"treegraft.{name}") for name in names)]:
        try:
            tests.addTests(doctest.DocTestSuite(module))
        except ValueError:
            # Older versions of Python refuse a module without examples.
            continue
    return tests
