#!/usr/bin/env python3
"""Runs the tests of the language server, or those that are named; `run.py --update` writes down what it says now instead."""
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import programs
import suite

programs.compiler()
if "--update" in sys.argv[1:]:
    import transcript
    for path in sorted((HERE / "transcripts").glob("*.txt")):
        transcript.play(path, update=True)
    sys.exit(0)
loader = unittest.defaultTestLoader
sys.exit(suite.run(loader.loadTestsFromNames(sys.argv[1:]) if sys.argv[1:]
                   else loader.discover(str(HERE), "*_test.py")))
