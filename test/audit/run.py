#!/usr/bin/env python3
"""The audit of what oocc emits. Skipped, and says so, where oocc-audit is not built."""
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import emitted
import suite

if not emitted.tool():
    print("skipped: there is no oocc-audit, which needs Clang's libraries (Debian: libclang-19-dev llvm-19-dev)")
    sys.exit(77)

import audit_test

sys.exit(suite.run(unittest.defaultTestLoader.loadTestsFromModule(audit_test)))
