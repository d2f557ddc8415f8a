"""Compares lbm_d2q9 with the same steps in numpy, with the decay of Taylor and Green's vortices, and its bits."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits

# Velocities (x, y) and weights, by order: at rest, along the axes, along the diagonals.
C = np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)])
W = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4)


def equilibrium(rho, u):
    """Populations of fluid of this density (rows, columns) and velocity (2, rows, columns)."""
    along = np.tensordot(C, u, 1)
    return W[:, None, None] * rho * (1 + 3 * along + 4.5 * along ** 2 - 1.5 * (u ** 2).sum(0))


def moments(f):
    """Density and velocity of populations."""
    rho = f.sum(0)
    return rho, np.tensordot(C.T, f, 1) / rho


def initial(n, speed, decay):
    y, x = 2 * np.pi / n * np.mgrid[:n, :n]
    if decay:
        u = speed * np.array([-np.cos(x) * np.sin(y), np.sin(x) * np.cos(y)])
        return equilibrium(1 - 0.75 * speed ** 2 * (np.cos(2 * x) + np.cos(2 * y)), u)
    s = y / (2 * np.pi)
    layers = np.tanh(40 * np.where(s < 0.5, s - 0.25, 0.75 - s))
    return equilibrium(1, speed * np.array([layers, 0.05 * np.sin(x + 2 * np.pi / n * (n // 4))]))


def step(f, nu):
    """Populations move, then relax; also the mean kinetic energy of what has moved."""
    f = np.array([np.roll(part, (cy, cx), (0, 1)) for part, (cx, cy) in zip(f, C)])
    rho, u = moments(f)
    return f + (equilibrium(rho, u) - f) / (3 * nu + 0.5), 0.5 * (u ** 2).sum(0).mean()


def populations(run):
    return np.array([run.files[f"f{i}.npy"] for i in range(len(C))])


def check_steps(example, **params):
    run = example.run(40, **params)
    f = initial(params["n"], 0.08, params["decay"] == "true")
    for _ in range(40):
        f, energy = step(f, 0.002)
    for i in range(len(C)):
        bits.close(run.files[f"f{i}.npy"], f[i], 1e-12, f"f{i}")
    bits.close(np.float64(run.values["energy"]), energy, 1e-11, "energy")


def check_decay(example):
    """Velocities fall as exp(-2 nu k^2 t). At the same speed * n, the error falls with the cells' width squared."""
    errors = []
    for n in 24, 48:
        params = dict(n=n, speed=0.96 / n, nu=0.05)
        steps = n * n // 4
        _, u = moments(populations(example.run(steps, decay="true", **params)))
        _, start = moments(initial(n, params["speed"], True))
        want = start * np.exp(-2 * params["nu"] * (2 * np.pi / n) ** 2 * steps)
        bits.close(u, want, 0.02, "velocity")
        errors.append(np.abs(u - want).max() / np.abs(want).max())
    assert 3.4 < errors[0] / errors[1] < 4.6, errors


def main():
    with bits.Example(HERE / "lbm_d2q9.stn") as example:
        check_steps(example, n=53, decay="false")
        check_steps(example, n=36, decay="true")
        check_decay(example)
        example.same_bits(14, dict(n=37), dict(n=53), dict(n=96))


if __name__ == "__main__":
    main()
