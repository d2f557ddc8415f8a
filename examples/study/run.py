#!/usr/bin/env python3
"""The example study of docs/studies.md in one command: writes 52 variants of heat.stn, measures them, draws the plot."""
import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def compiler():
    """$OOCC, else the release build's, else the one on the PATH."""
    for path in (os.environ.get("OOCC"), ROOT / "build/release/bin/oocc", shutil.which("oocc")):
        if path and Path(path).is_file():
            return str(path)
    sys.exit("run.py: no oocc found: build it (scripts/build) or name one with OOCC=/path/to/oocc")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("study"), help="folder of the variants and of the results")
    parser.add_argument("--image", type=Path, help="where to copy the plot")
    parser.add_argument("--planes", type=int, default=64, help="size of the grid")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    oocc = compiler()
    status = subprocess.run([oocc, HERE / "heat.stn", "-D", f"n={options.planes}", "--variants", HERE / "space.json",
                             "-o", options.output]).returncode
    if status == 0:
        status = subprocess.run([oocc, "study", options.output, "--repeats", str(options.repeats), "--", "--schedule", "stream",
                                 "--engine", "threads", "--memory", "64M", "--probe", "off", "--adapt", "off"]).returncode
    if status == 0 and options.image:
        shutil.copyfile(options.output / "study/study.svg", options.image)
    return status


sys.exit(main())
