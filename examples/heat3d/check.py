"""Compares heat3d with the same steps in numpy, bit for bit, however the program is run."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import bits
from bits import programs


def initial(n):
    z, y, x = np.ogrid[:n, :n, :n]
    cell = n // 4
    square = (x % cell - cell // 2) ** 2 + (y - n // 2) ** 2
    hot = (abs(z - n // 2) <= n // 8) & (square <= cell * cell * 4 // 25) & (square >= cell * cell * 17 // 250)
    hot &= ~((x >= n // 2) & (x % cell > cell // 2) & (abs(y - n // 2) < cell // 6))
    return hot.astype(np.float64)


def reference(files, steps):
    u = files["heat3d.npy"]
    assert (u == initial(len(u))).all()
    for _ in range(steps):
        c = u[1:-1, 1:-1, 1:-1]
        new = u.copy()
        new[1:-1, 1:-1, 1:-1] = c + 0.15 * (
            u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:] + u[1:-1, :-2, 1:-1] + u[1:-1, 2:, 1:-1]
            + u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1] - 6 * c)
        u = new
    return {"heat3d.npy": u}


def main():
    programs.check(HERE / "heat3d.stn", ["-D", "n=53"], 13, reference)
    with bits.Example(HERE / "heat3d.stn") as example:
        example.same_bits(10, dict(n=37), dict(n=53), dict(n=113))


if __name__ == "__main__":
    main()
