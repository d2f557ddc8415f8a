"""Compares heat3d_19pt with the same steps in numpy, bit for bit, however the program is run."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import bits
from bits import programs


def reference(files, steps):
    u = files["heat3d_19pt.npy"]
    n = len(u)
    z, y, x = np.ogrid[:n, :n, :n]
    assert (u == (abs(z - n // 2) + abs(y - n // 2) + abs(x - n // 2) <= n // 4)).all()
    wf, we, wc = 0.1 / 3, 0.1 / 6, 1 - 4 * 0.1

    for _ in range(steps):
        def at(dz, dy, dx):
            return u[1 + dz:n - 1 + dz, 1 + dy:n - 1 + dy, 1 + dx:n - 1 + dx]

        # Sums over shapes: along x first, then y, then z.
        faces = at(-1, 0, 0) + at(1, 0, 0) + (at(0, -1, 0) + at(0, 1, 0)) + (at(0, 0, -1) + at(0, 0, 1))
        edges = (at(-1, -1, 0) + at(-1, 1, 0) + (at(1, -1, 0) + at(1, 1, 0))
                 + (at(-1, 0, -1) + at(-1, 0, 1) + (at(1, 0, -1) + at(1, 0, 1)))
                 + (at(0, -1, -1) + at(0, -1, 1) + (at(0, 1, -1) + at(0, 1, 1))))
        new = u.copy()
        new[1:-1, 1:-1, 1:-1] = wc * at(0, 0, 0) + wf * faces + we * edges
        u = new
    return {"heat3d_19pt.npy": u}


def main():
    programs.check(HERE / "heat3d_19pt.stn", ["-D", "n=37"], 11, reference)
    with bits.Example(HERE / "heat3d_19pt.stn") as example:
        example.same_bits(10, dict(n=41), dict(n=53), dict(n=113))


if __name__ == "__main__":
    main()
