"""Compares gray_scott with the same steps in numpy, and its bits."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits

H, DT, DU, DV, FEED, KILL = 0.01, 1.0, 2e-5, 1e-5, 0.037, 0.06


def laplace(u):
    return sum(np.roll(u, shift, axis) - u for axis in (0, 1) for shift in (1, -1)) / H ** 2


def initial(n):
    tile = max(n // 12, 4)
    y, x = np.ogrid[:n, :n]
    chosen = (x // tile * 5 + y // tile * 7 + (x // tile) * (y // tile)) % 11 == 3
    seeded = chosen & (x % tile < tile // 2) & (y % tile < tile // 2)
    assert 0 < seeded.sum() < seeded.size / 8
    return np.where(seeded, 0.5, 1), np.where(seeded, 0.25, 0)


def reference(n, steps):
    """In f64."""
    u, v = initial(n)
    for _ in range(steps):
        eaten = u * v * v
        u, v = (u + DT * (DU * laplace(u) - eaten + FEED * (1 - u)),
                v + DT * (DV * laplace(v) + eaten - (FEED + KILL) * v))
    return u, v


def main():
    with bits.Example(HERE / "gray_scott.stn") as example:
        run = example.run(400, n=101)
        for name, want in zip(("u.npy", "v.npy"), reference(101, 400)):
            bits.close(run.files[name], want, 2e-5, name)
        example.same_bits(26, dict(n=37), dict(n=101), dict(n=411))


if __name__ == "__main__":
    main()
