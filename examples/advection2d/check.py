"""Compares advection2d with the same steps in numpy, with an exact shift, what is kept, and its bits."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import bits


def initial(n):
    y, x = np.ogrid[:n, :n]
    r = n // 8
    return np.where(((x - n // 3) ** 2 + (y - n // 2) ** 2 <= r * r)
                    & ~((abs(x - n // 3) < r // 4) & (y < n // 2)), 1.0, 0.1)


def carry(c, wind, axis):
    left, right = c - np.roll(c, 1, axis), np.roll(c, -1, axis) - c
    slope = np.where(left * right <= 0, 0, np.where(abs(left) < abs(right), left, right))
    flux = wind * (c + 0.5 * (1 - wind) * slope)
    return c - (flux - np.roll(flux, 1, axis))


def reference(n, steps, wx=0.4, wy=0.2):
    c = initial(n)
    for _ in range(steps):
        c = carry(carry(c, wx, 1), wy, 0)
    return c


def main():
    with bits.Example(HERE / "advection2d.stn") as example:
        run = example.run(130, n=61)
        bits.close(run.files["c.npy"], reference(61, 130), 1e-13, "c")
        bits.close(np.array([run.values["dye"]]), np.array([initial(61).sum()]), 1e-13, "dye")
        if not 0.1 - 1e-14 <= run.values["least"] < run.values["most"] <= 1 + 1e-14:
            raise bits.programs.Failure(f"new extrema: {run.values}")

        shifted = example.run(37, n=53, wx=1, wy=1).files["c.npy"]
        bits.close(shifted, np.roll(initial(53), (37, 37), (0, 1)), 1e-14, "a cell a step")

        example.same_bits(26, dict(n=37), dict(n=53), dict(n=503))


if __name__ == "__main__":
    main()
