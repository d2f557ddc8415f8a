"""Compares heat3d_27pt with the same steps in numpy, bit for bit, however the program is run."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import bits
from bits import programs

f32 = np.float32


def reference(files, steps):
    u = files["heat3d_27pt.npy"]
    n = len(u)
    alpha = f32(0.1)
    wc, wf, we, wk = f32(1) - alpha * f32(64) / f32(15), alpha * f32(7) / f32(15), alpha / f32(10), alpha / f32(30)

    for _ in range(steps):
        p = np.pad(u, 1)

        def at(dz, dy, dx):
            return p[1 + dz:n + 1 + dz, 1 + dy:n + 1 + dy, 1 + dx:n + 1 + dx]

        # Sums over shapes: along x first, then y, then z.
        faces = at(-1, 0, 0) + at(1, 0, 0) + (at(0, -1, 0) + at(0, 1, 0)) + (at(0, 0, -1) + at(0, 0, 1))
        edges = (at(-1, -1, 0) + at(-1, 1, 0) + (at(1, -1, 0) + at(1, 1, 0))
                 + (at(-1, 0, -1) + at(-1, 0, 1) + (at(1, 0, -1) + at(1, 0, 1)))
                 + (at(0, -1, -1) + at(0, -1, 1) + (at(0, 1, -1) + at(0, 1, 1))))
        corners = (at(-1, -1, -1) + at(-1, -1, 1) + (at(-1, 1, -1) + at(-1, 1, 1))
                   + (at(1, -1, -1) + at(1, -1, 1) + (at(1, 1, -1) + at(1, 1, 1))))
        u = wc * u + wf * faces + we * edges + wk * corners
        assert u.dtype == f32
    return {"heat3d_27pt.npy": u}


def main():
    programs.check(HERE / "heat3d_27pt.stn", ["-D", "n=37"], 11, reference)
    with bits.Example(HERE / "heat3d_27pt.stn") as example:
        example.same_bits(10, dict(n=41), dict(n=53), dict(n=131))


if __name__ == "__main__":
    main()
