"""Compares heat2d with the same steps in numpy, bit for bit, however the program is run."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import bits
from bits import programs


def reference(files, steps):
    u = files["heat2d.npy"]
    assert not u.any()
    n = len(u)
    y, x = np.ogrid[:n, :n]
    q = np.where((abs(y - n // 2) < n // 10) & (abs(x - n // 2) < n // 10), 0.001, 0.0)
    wall = (1.0 - (1.0 / n) * np.arange(n, dtype=float))[:, None]
    for _ in range(steps):
        rows = np.concatenate([np.full((1, n), 1.0), u, np.zeros((1, n))])
        cols = np.concatenate([wall, u, wall], axis=1)
        u = u + 0.2 * (-4 * u + (cols[:, :-2] + cols[:, 2:] + rows[:-2] + rows[2:])) + q
    return {"heat2d.npy": u}


def main():
    programs.check(HERE / "heat2d.stn", ["-D", "n=211"], 29, reference)
    with bits.Example(HERE / "heat2d.stn") as example:
        example.same_bits(26, dict(n=37), dict(n=53), dict(n=803))


if __name__ == "__main__":
    main()
