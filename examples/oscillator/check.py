"""Compares oscillator with the same steps in numpy, with its exact energy, and its bits."""
import math
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits

def potential(n, h):
    square = (h * (np.arange(n) - 0.5 * (n - 1))) ** 2
    return 0.5 * (square[:, None, None] + square[:, None] + square)


def hamilton(psi, v, h):
    p = np.pad(psi, 1)
    around = sum(np.roll(p, shift, axis) for axis in range(3) for shift in (1, -1))[1:-1, 1:-1, 1:-1]
    return v * psi - 0.5 * (around - 6 * psi) / h ** 2


def reference(psi, steps, h=0.25, dt=0.01):
    """psi after these steps, and the energy of the one before it."""
    v = potential(len(psi), h)
    for _ in range(steps):
        norm2, moved = math.fsum((psi * psi).ravel().tolist()), hamilton(psi, v, h)
        energy = (psi * moved).sum() / norm2
        psi = (psi - dt * moved) / math.sqrt(norm2)
    return psi, energy


def ground(n, h):
    """Energy and state of the discrete oscillator: three in one dimension, each of a tridiagonal matrix."""
    diagonal = 0.5 * (h * (np.arange(n) - 0.5 * (n - 1))) ** 2 + 1 / h ** 2
    energies, states = np.linalg.eigh(np.diag(diagonal) - 0.5 / h ** 2 * (np.eye(n, k=1) + np.eye(n, k=-1)))
    line = np.abs(states[:, 0])
    return 3 * energies[0], line[:, None, None] * line[:, None] * line


def main():
    with bits.Example(HERE / "oscillator.stn") as example:
        start = example.run(0, n=29).files["psi.npy"]
        assert 0 < start.sum() < start.size / 8
        run = example.run(50, n=29)
        psi, energy = reference(start, 50)
        bits.close(run.files["psi.npy"], psi, 1e-12, "psi")
        bits.close(np.float64(run.values["energy"]), np.float64(energy), 1e-12, "energy")

        # What it tends to: the exact state and energy of the difference equations, and 3/2 up to 3 h^2 / 32.
        run = example.run(5000, n=39, h=0.25)
        energy, state = ground(39, 0.25)
        assert run.report["measured"]["stopped"] and abs(energy - (1.5 - 3 * 0.25 ** 2 / 32)) < 1e-4, run.report
        bits.close(np.float64(run.values["energy"]), np.float64(energy), 1e-12, "energy")
        psi = run.files["psi.npy"]
        bits.close(psi / np.sqrt((psi * psi).sum()), state, 1e-7, "psi")
        example.same_bits(12, dict(n=17), dict(n=29), dict(n=60))


if __name__ == "__main__":
    main()
