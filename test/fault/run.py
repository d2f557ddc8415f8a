#!/usr/bin/env python3
"""Runs the tests of this folder, or those that are named: `run.py [--long] crash_test.Crashes`."""
import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

if "--long" in sys.argv:
    sys.argv.remove("--long")
    os.environ["OOCC_FAULT_LONG"] = "1"

import programs
import suite

programs.compiler()
loader = unittest.defaultTestLoader
sys.exit(suite.run(loader.loadTestsFromNames(sys.argv[1:]) if sys.argv[1:]
                   else loader.discover(str(HERE), "*_test.py")))
