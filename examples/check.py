#!/usr/bin/env python3
"""Checks every example, or those that are named: `python3 examples/check.py heat3d`."""
import importlib.util
import sys
import unittest
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent
sys.path[:0] = [str(EXAMPLES.parent / "test" / "support")]

import suite


class Examples(unittest.TestCase):
    """One test per folder, added below."""


def test_of(path):
    def test(self):
        before = list(sys.path)
        spec = importlib.util.spec_from_file_location("check_" + path.parent.name, path)
        module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
            module.main()
        finally:
            forget(path.parent, before)
    return test


def forget(folder, path):
    """The next example may have modules of the same names."""
    sys.path[:] = path
    for name, module in list(sys.modules.items()):
        if Path(getattr(module, "__file__", None) or "/").parent == folder:
            del sys.modules[name]


names = sys.argv[1:] or sorted(p.parent.name for p in EXAMPLES.glob("*/check.py"))
for name in names:
    setattr(Examples, "test_" + name, test_of(EXAMPLES / name / "check.py"))

sys.exit(suite.run(unittest.defaultTestLoader.loadTestsFromTestCase(Examples)))
