#!/usr/bin/env python3
"""Writes receivers.csv for maxwell.stn: `model.py 96`; in front of the ball, within and behind it."""
import sys
from pathlib import Path


def receivers(n):
    return [(n // 2, n // 2, n // 6 + n * k // 8) for k in (1, 2, 3, 4, 5)]


def write(folder, n, **_):
    (folder / "receivers.csv").write_text("".join(f"{z} {y} {x}\n" for z, y, x in receivers(n)))


if __name__ == "__main__":
    write(Path("."), int(sys.argv[1]) if len(sys.argv) > 1 else 96)
