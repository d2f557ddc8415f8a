#!/usr/bin/env python3
"""Runs the tests of what docs/editors gives to editors."""
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import suite

loader = unittest.defaultTestLoader
sys.exit(suite.run(loader.loadTestsFromNames(sys.argv[1:]) if sys.argv[1:]
                   else loader.discover(str(HERE), "*_test.py")))
