"""Compares wave3d with the same steps in numpy, bit for bit, however the program is run."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import bits
from bits import programs

f32 = np.float32


def reference(files, steps):
    u = files["wave3d.npy"]
    n = len(u)
    z, y, x = np.ogrid[:n, :n, :n]
    r2 = n * n // 100
    bump = np.maximum(0, r2 - (z - n // 4) ** 2 - (y - n // 2) ** 2 - (x - n // 2) ** 2) / r2
    np.testing.assert_allclose(u, bump, rtol=0, atol=1e-6)

    before = u
    c2 = np.where(z < n // 2, f32(0.06), np.where(z < 3 * n // 4, f32(0.11), f32(0.18)))
    w0, w = -205.0 / 72.0, [f32(8.0 / 5.0), f32(-1.0 / 5.0), f32(8.0 / 315.0), f32(-1.0 / 560.0)]
    for _ in range(steps):
        p = np.pad(u, 4)

        def at(dz, dy, dx):
            return p[4 + dz:n + 4 + dz, 4 + dy:n + 4 + dy, 4 + dx:n + 4 + dx]

        total = f32(3 * w0) * u
        for d in (1, 2, 3, 4):
            total = total + w[d - 1] * (at(0, 0, -d) + at(0, 0, d) + at(0, -d, 0) + at(0, d, 0)
                                        + at(-d, 0, 0) + at(d, 0, 0))
        u, before = f32(2) * u - before + c2 * total, u
        assert u.dtype == f32
    return {"wave3d.npy": u}


def main():
    programs.check(HERE / "wave3d.stn", ["-D", "n=41"], 17, reference)
    with bits.Example(HERE / "wave3d.stn") as example:
        example.same_bits(10, dict(n=37), dict(n=53), dict(n=113))


if __name__ == "__main__":
    main()
