#!/usr/bin/env python3
"""Runs the tests of the formatter, or those that are named: `run.py format_test.Examples`."""
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support"), str(HERE.parent / "docs"), str(HERE.parent / "random")]

import programs
import suite

programs.compiler()
loader = unittest.defaultTestLoader
sys.exit(suite.run(loader.loadTestsFromNames(sys.argv[1:]) if sys.argv[1:]
                   else loader.discover(str(HERE), "*_test.py")))
