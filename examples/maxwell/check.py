"""Compares maxwell with the same steps in numpy, with a dipole's field in closed form, its energy, and its bits."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits
import model

S = 0.5


def reference(n, steps, eps=4.0, radius=0.3, pulse=10.0):
    """In f64, on arrays of two cells more: the outermost ones stay 0."""
    z, y, x = np.ogrid[:n, :n, :n]
    ball = (z - n // 2) ** 2 + (y - n // 2) ** 2 + (x - n // 2) ** 2 <= (radius * n) ** 2
    rate = S / np.where(ball, eps, 1.0)
    e, h = np.zeros((2, 3, n + 2, n + 2, n + 2))        # [component along z, y, x][z, y, x]
    inside = (slice(1, -1),) * 3

    def difference(f, axis, side):
        other = list(inside)
        other[axis] = slice(2, None) if side > 0 else slice(0, -2)
        return side * (f[tuple(other)] - f[inside])

    def curl(f, side):
        """In right-handed order (x, y, z) the curl's component along a is d_b f_c - d_c f_b, for (a, b, c) cyclic."""
        return {a: difference(f[c], b, side) - difference(f[b], c, side) for a, b, c in ((2, 1, 0), (1, 0, 2), (0, 2, 1))}

    traces = []
    for t in range(steps):
        for axis, value in curl(e, +1).items():
            h[axis][inside] -= S * value
        for axis, value in curl(h, -1).items():
            e[axis][inside] += rate * value
        a = ((t + 0.5) * S - 4 * pulse) / pulse
        source = n // 2, n // 2, n // 6
        e[0][inside][source] += rate[source] * 2 * a / pulse * np.exp(-a * a)
        traces.append([e[0][inside][place] for place in model.receivers(n)])
    return e[0][inside], h[1][inside], np.array(traces)


DISTANCES = (8, 11, 14)


def beside(folder, n, **_):
    """Receivers in the plane across the dipole."""
    (folder / "receivers.csv").write_text("".join(f"{n // 2} {n // 2 + d} {n // 2}\n" for d in DISTANCES))


def check_closed_form(example):
    """Hertz's dipole in glass everywhere: across it, E = -(p + p' r/v + p'' (r/v)^2) / (4 pi eps r^3) at t - r/v."""
    n, eps, pulse = 61, 4.0, 14.0
    speed = 1 / np.sqrt(eps)
    example.prepare = beside
    steps = int((6 * pulse + DISTANCES[-1] / speed) / S)        # the walls are not heard by then
    traces = example.run(steps, n=n, eps=eps, radius=2, sx=n // 2, pulse=pulse).files["traces.npy"]
    for trace, r in zip(traces.T, DISTANCES):
        a = (S * np.arange(1, steps + 1) - 4 * pulse - r / speed) / pulse
        p, delay = np.exp(-a * a), r / speed
        first, second = -2 * a / pulse * p, (4 * a * a - 2) / pulse ** 2 * p
        want = -(p + first * delay + second * delay ** 2) / (4 * np.pi * eps * r ** 3)
        bits.close(trace, want, 0.03, f"the trace at {r} cells")


def check_energy(example):
    """Once the dipole is silent, nothing is lost or made."""
    energy = [example.run(steps, n=41).values["energy"] for steps in (160, 300)]
    bits.close(np.array(energy[1:]), np.array(energy[:1]), 1e-5, "energy")


def main():
    with bits.Example(HERE / "maxwell.stn", model.write) as example:
        run = example.run(120, n=37)
        ez, hy, traces = reference(37, 120)
        bits.close(run.files["ez.npy"], ez, 2e-5, "ez")
        bits.close(run.files["hy.npy"], hy, 2e-5, "hy")
        bits.close(run.files["traces.npy"], traces, 2e-5, "traces")
        check_energy(example)
        example.same_bits(10, dict(n=37), dict(n=41), dict(n=53), dict(n=89))
        check_closed_form(example)


if __name__ == "__main__":
    main()
