"""Compares life with the same generations in numpy, with what is known of the R-pentomino, and its bits."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits

def initial(n, soup):
    y, x = np.ogrid[:n, :n]
    if soup:
        return ((x * x * 7 + y * y * 13 + x * y * 31 + x * 5) % 17 < 6).astype(np.uint8)
    u = np.zeros((n, n), np.uint8)
    c = n // 2
    for dy, row in enumerate((" ##", "## ", " # "), -1):
        for dx, cell in enumerate(row, -1):
            u[c + dy, c + dx] = cell == "#"
    return u


def reference(n, steps, soup):
    u = initial(n, soup)
    trail = np.zeros_like(u)
    for t in range(steps):
        rows = u + np.roll(u, 1, 0) + np.roll(u, -1, 0)
        box = rows + np.roll(rows, 1, 1) + np.roll(rows, -1, 1)
        u = ((box == 3) | (u == 1) & (box == 4)).astype(np.uint8)
        trail = np.where(u == 1, 255, trail - ((trail > 0) & (t % 4 == 0))).astype(np.uint8)
    return u, trail


def main():
    with bits.Example(HERE / "life.stn") as example:
        for n, steps, soup in (61, 200, True), (90, 300, False):    # long enough to go around
            run = example.run(steps, n=n, soup="true" if soup else "false")
            u, trail = reference(n, steps, soup)
            bits.equal(run.files["life.npy"], u, "life.npy")
            bits.equal(run.files["trail.npy"], trail, "trail.npy")
            assert run.values["alive"] == u.sum() > 0, run.values

        # The R-pentomino is known to settle at generation 1103, with 116 cells from then on.
        for steps in 1103, 1110:
            settled = example.run(steps, "--schedule", "resident").files["life.npy"]
            assert settled.sum() == 116, settled.sum()
        example.same_bits(40, dict(n=37, soup="true"), dict(n=101, soup="true"), dict(n=311, soup="true"))


if __name__ == "__main__":
    main()
