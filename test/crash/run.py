#!/usr/bin/env python3
"""Runs the tests of this folder, or those that are named: `run.py kill_test.Kills`; --long: many more; --seed N: others."""
import argparse
import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--long", action="store_true")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("tests", nargs="*")
arguments = parser.parse_args()
os.environ["OOCC_LONG"] = "1" if arguments.long else os.environ.get("OOCC_LONG", "")
os.environ["OOCC_SEED"] = str(arguments.seed)

import programs
import suite

programs.compiler()
loader = unittest.defaultTestLoader
sys.exit(suite.run(loader.loadTestsFromNames(arguments.tests) if arguments.tests else loader.discover(str(HERE), "*_test.py")))
