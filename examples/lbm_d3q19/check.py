"""Compares lbm_d3q19 with the same steps in numpy, with the decay of a Beltrami flow, and its bits."""
from itertools import product
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits

def velocities():
    """(x, y, z): at rest, along the axes, along the diagonals of two of them."""
    axes = [tuple(s * (d == k) for d in range(3)) for k in range(3) for s in (1, -1)]
    diagonals = [tuple({a: s, b: r}.get(d, 0) for d in range(3))
                 for a, b in ((0, 1), (0, 2), (1, 2)) for s, r in product((1, -1), repeat=2)]
    return np.array([(0, 0, 0), *axes, *diagonals])


C = velocities()
W = np.array([1 / 3] + [1 / 18] * 6 + [1 / 36] * 12)


def equilibrium(rho, u):
    """Populations of fluid of this density (planes, rows, columns) and velocity (3, planes, rows, columns)."""
    along = np.tensordot(C, u, 1)
    return W[:, None, None, None] * rho * (1 + 3 * along + 4.5 * along ** 2 - 1.5 * (u ** 2).sum(0))


def moments(f):
    """Density and velocity of populations."""
    rho = f.sum(0)
    return rho, np.tensordot(C.T, f, 1) / rho


def beltrami(n, speed):
    z, y, x = 2 * np.pi / n * np.mgrid[:n, :n, :n]
    return speed * np.array([np.sin(z) + np.cos(y), np.sin(x) + np.cos(z), np.sin(y) + np.cos(x)])


def initial(n, speed):
    u = beltrami(n, speed)
    return equilibrium(1 - 1.5 * ((u ** 2).sum(0) - 3 * speed ** 2), u)


def step(f, nu):
    """Populations move, then relax; also the mean kinetic energy of what has moved. In f64."""
    f = np.array([np.roll(part, c[::-1], (0, 1, 2)) for part, c in zip(f, C)])
    rho, u = moments(f)
    return f + (equilibrium(rho, u) - f) / (3 * nu + 0.5), 0.5 * (u ** 2).sum(0).mean()


def populations(run):
    return np.array([run.files[f"f{i}.npy"] for i in range(len(C))], float)


def check_decay(example):
    """A flow that is parallel to its curl keeps its shape; velocities fall as exp(-nu k^2 t)."""
    n, speed, nu, steps = 24, 0.02, 0.05, 240
    _, u = moments(populations(example.run(steps, "--schedule", "resident", n=n, speed=speed, nu=nu)))
    bits.close(u, beltrami(n, speed) * np.exp(-nu * (2 * np.pi / n) ** 2 * steps), 0.02, "velocity")


def main():
    with bits.Example(HERE / "lbm_d3q19.stn") as example:
        run = example.run(20, n=19)
        f = initial(19, 0.04)
        for _ in range(20):
            f, energy = step(f, 0.02)
        for i, got in enumerate(populations(run)):
            bits.close(got, f[i], 2e-6, f"f{i}")
        bits.close(np.float64(run.values["energy"]), energy, 2e-5, "energy")
        check_decay(example)
        example.same_bits(5, dict(n=11), dict(n=45))


if __name__ == "__main__":
    main()
