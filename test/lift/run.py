#!/usr/bin/env python3
"""Runs the tests of this folder, or those that are named: `run.py lift_test.Heat3D`."""
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import programs
import suite

if not (Path(programs.compiler()).parent / "oocc-lift").exists():
    print("skipped: this build has no oocc-lift (Debian: libclang-19-dev llvm-19-dev)")
    sys.exit(77)
loader = unittest.defaultTestLoader
sys.exit(suite.run(loader.loadTestsFromNames(sys.argv[1:]) if sys.argv[1:]
                   else loader.discover(str(HERE), "*_test.py")))
