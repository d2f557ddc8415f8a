"""Compares poisson with the same iteration in numpy, with the exact discrete solution, and its bits."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits

MODES = (1, 2, 3), (1, 6, 2)


def shape_of(mode, n):
    """sin(a pi z) sin(b pi y) sin(c pi x) at the unknowns."""
    z, y, x = (np.sin(k * np.pi * np.arange(1, n + 1) / (n + 1)) for k in mode)
    return z[:, None, None] * y[:, None] * x


def eigenvalue(mode, n=None):
    """Of -laplace; of the seven-point operator when n is given."""
    if n is None:
        return np.pi ** 2 * sum(k * k for k in mode)
    return sum((2 * (n + 1) * np.sin(0.5 * k * np.pi / (n + 1))) ** 2 for k in mode)


def source(n):
    return sum(eigenvalue(mode) * shape_of(mode, n) for mode in MODES)


def solution(n):
    """Of the difference equations: each mode on its own."""
    return sum(eigenvalue(mode) / eigenvalue(mode, n) * shape_of(mode, n) for mode in MODES)


def neighbours(u):
    p = np.pad(u, 1)
    return sum(np.roll(p, shift, axis) for axis in range(3) for shift in (1, -1))[1:-1, 1:-1, 1:-1]


def iterate(n, steps):
    """Chebyshev's weights by their recurrence. Returns u and its largest residual."""
    f, h = source(n), 1 / (n + 1)
    rho, weight = np.cos(np.pi * h), 1.0
    u = before = np.zeros_like(f)
    for t in range(steps):
        u, before = before + weight * ((neighbours(u) + h * h * f) / 6 - before), u
        weight = 1 / (1 - rho * rho / 2) if t == 0 else 1 / (1 - rho * rho * weight / 4)
    return u, np.abs(f + (neighbours(u) - 6 * u) / h ** 2).max()


def main():
    with bits.Example(HERE / "poisson.stn") as example:
        run = example.run(60, n=31)
        u, residual = iterate(31, 60)
        bits.close(run.files["u.npy"], u, 1e-12, "u")
        bits.close(np.float64(run.values["r"]), np.float64(residual), 1e-9, "residual")

        # The run ends at the first multiple of 20 where the residual is small, and there the equations are solved.
        run = example.run(20000, n=31, tol=1e-9)
        steps = run.report["measured"]["steps"]
        assert steps % 20 == 0 and run.values["r"] < 1e-9, (steps, run.values)
        assert iterate(31, steps)[1] < 1e-9 <= iterate(31, steps - 20)[1], steps
        bits.close(run.files["u.npy"], solution(31), 1e-10, "u")

        # They approach the differential equation with the square of the cells' width.
        errors = [np.abs(solution(n) - sum(shape_of(mode, n) for mode in MODES)).max() for n in (31, 63)]
        assert 3.8 < errors[0] / errors[1] < 4.2, errors
        example.same_bits(26, dict(n=17), dict(n=37), dict(n=60))


if __name__ == "__main__":
    main()
