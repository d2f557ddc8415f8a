#!/usr/bin/env python3
"""Broken, deep, long and huge programs, and numbers at the ends of their types: one clear error or a right answer, within 1 second of a
processor (10 where the text has more than 64 KiB) and 1 GiB of addresses.

    run.py                 every case
    run.py Deep Numbers    these classes: Json, Deep, Long, Broken, Numbers
"""
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import json_test
import limits
import numbers_test
import suite
import texts_test

MODULES = (json_test, texts_test, numbers_test)
PROMISE = "programs and numbers of any size, depth and length: one clear error or a right answer, in bounded time and memory"


def main():
    loader = unittest.defaultTestLoader
    if sys.argv[1:]:
        modules = MODULES
        chosen = [getattr(module, name) for name in sys.argv[1:] for module in modules if hasattr(module, name)]
        return suite.run(unittest.TestSuite(map(loader.loadTestsFromTestCase, chosen)))
    status = suite.run(unittest.TestSuite(map(loader.loadTestsFromModule, MODULES)))
    suite.leave_promise(PROMISE, limits.COUNT)
    return status


if __name__ == "__main__":
    sys.exit(main())
