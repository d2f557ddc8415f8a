"""Compares advection1d with the same steps in numpy, bit for bit, and with the exact shift at CFL 1."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import bits
from bits import programs


def inflow(t):
    return 1.0 if t % 100 < 40 else 0.0


def upwind(cfl):
    def reference(files, steps):
        u = files["advection1d.npy"]
        assert not u.any()
        for t in range(steps):
            u = u - cfl * (u - np.concatenate([[inflow(t)], u[:-1]]))
        return {"advection1d.npy": u}
    return reference


def shift(files, steps):
    u = np.zeros_like(files["advection1d.npy"])
    u[:steps] = [inflow(t) for t in reversed(range(steps))]
    return {"advection1d.npy": u}


def main():
    programs.check(HERE / "advection1d.stn", ["-D", "n=5003"], 333, upwind(0.8))
    programs.check(HERE / "advection1d.stn", ["-D", "n=5003", "-D", "cfl=1"], 333, shift)
    with bits.Example(HERE / "advection1d.stn") as example:
        example.same_bits(26, dict(n=503), dict(n=5003), dict(n=1000003))


if __name__ == "__main__":
    main()
