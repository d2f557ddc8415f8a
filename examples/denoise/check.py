"""Compares denoise with the same steps in numpy, bit for bit, and with the picture without the noise; and its bits."""
import math
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits

F = np.float32


def clean(n):
    y, x = np.ogrid[:n, :n]
    disc = (x - 0.3 * n) ** 2 + (y - 0.32 * n) ** 2 < (0.2 * n) ** 2
    bar = (abs(x - 0.72 * n) < 0.18 * n) & (abs(y - 0.32 * n) < 0.06 * n)
    stairs = (y > 0.6 * n) & (y < 0.9 * n) & (x > 0.1 * n) & (x < 0.9 * n)
    return np.select([disc, bar, stairs], [0.9, 0.7, np.floor(6.0 * x / n) / 6 + 0 * y], 0.2)


def reference(u, steps, edge=1.5):
    """In f32, but for what is the same everywhere; the mean is the exact sum, rounded once."""
    for _ in range(steps):
        p = np.pad(u, 1, mode="edge")
        up, down, left, right = p[:-2, 1:-1] - u, p[2:, 1:-1] - u, p[1:-1, :-2] - u, p[1:-1, 2:] - u
        steepness = math.fsum((F(0.5) * (abs(down) + abs(right))).ravel().tolist()) / u.size
        scale = F(edge * edge * steepness * steepness)
        flow = [d / (1 + d * d / scale) for d in (up, down, left, right)]
        u = u + F(0.2) * (((flow[0] + flow[1]) + flow[2]) + flow[3])
        assert u.dtype == F
    return u


def main():
    with bits.Example(HERE / "denoise.stn") as example:
        noisy = example.run(0, n=149).files["denoised.npy"]
        run = example.run(60, n=149)
        bits.equal(run.files["denoised.npy"], reference(noisy, 60), "denoised.npy")

        # The noise is what it should be; most of it goes, and what lies under it stays. The mean stays, too.
        noise = noisy - clean(149)
        assert np.abs(noise).max() <= 0.2501 and abs(noise.std() - 0.25 / 3 ** 0.5) < 0.004, noise.std()
        left = run.files["denoised.npy"] - clean(149)
        assert left.std() < 0.4 * noise.std(), (left.std(), noise.std())
        bits.close(np.float64(run.values["brightness"]), noisy.mean(dtype=float), 1e-6, "brightness")
        example.same_bits(14, dict(n=37), dict(n=149), dict(n=411))


if __name__ == "__main__":
    main()
