#!/usr/bin/env python3
"""Hostile programs: names, paths, texts and options that C, a shell, a terminal or the emitter itself would take for something else.

    run.py                    the cases that were written by hand, and 60 programs with drawn names
    run.py --long             1,500 programs with drawn names
    run.py --seed 17          one of them, with its text
    run.py --base 5000 --programs 300
"""
import argparse
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "audit"), str(HERE.parent / "support")]

import drawn_test
import emitted
import suite


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="only this program, with its text")
    parser.add_argument("--base", type=int, default=1, help="seed of the first program")
    parser.add_argument("--programs", type=int, help="how many programs with drawn names")
    parser.add_argument("--long", action="store_true", help="1,500 programs")
    options = parser.parse_args()
    if options.seed is not None:
        return drawn_test.show(options.seed)
    if not emitted.tool():
        print("without oocc-audit, which needs Clang's libraries: what is emitted is compiled, and not audited")
    drawn_test.seeds = range(options.base, options.base + (options.programs or (1500 if options.long else 60)))
    import cases_test
    import runs_test

    loader = unittest.defaultTestLoader
    return suite.run(unittest.TestSuite(loader.loadTestsFromModule(module) for module in (cases_test, drawn_test, runs_test)))


if __name__ == "__main__":
    sys.exit(main())
