#!/usr/bin/env python3
"""Writes receivers.csv for elastic.stn: `model.py 400`; a line near the top, and one cell after the other downwards."""
import sys
from pathlib import Path


def receivers(n):
    line = [(n // 8, n // 8 + i * (3 * n // 4) // 7) for i in range(8)]
    return line + [(n // 3 + n // 16 * i, n // 2) for i in (1, 2, 4)]


def write(folder, n, **_):
    (folder / "receivers.csv").write_text("".join(f"{z} {x}\n" for z, x in receivers(n)))


if __name__ == "__main__":
    write(Path("."), int(sys.argv[1]) if len(sys.argv) > 1 else 400)
