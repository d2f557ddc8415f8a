#!/usr/bin/env python3
"""Makes what acoustic.stn reads: `model.py 128` writes velocity.npy, a medium of three layers, and receivers.csv."""
import sys
from pathlib import Path

import numpy as np

LAYERS = (0.0, 1500.0), (0.45, 2200.0), (0.7, 3000.0)      # from this depth on, a share of the whole: m/s


def velocity(n):
    """Layers by depth; written plane by plane, it may be larger than memory."""
    depth = np.arange(n) / n
    return np.select([depth >= top for top, _ in LAYERS[::-1]], [v for _, v in LAYERS[::-1]]).astype(np.float32)


def receivers(n):
    """A line along x a little above the source, every second one between the cells."""
    return [(n / 5 if i % 2 else n // 5, n // 2, float(x)) for i, x in enumerate(np.linspace(n // 6, n - 1 - n // 6, 9))]


def write(folder, n, **_):
    cube = np.lib.format.open_memmap(folder / "velocity.npy", "w+", np.float32, (n, n, n))
    for z, v in enumerate(velocity(n)):
        cube[z] = v
    cube.flush()
    lines = [f"{z:g}, {y:g}, {x:g}\n" for z, y, x in receivers(n)]
    (folder / "receivers.csv").write_text("z, y, x\n" + "".join(lines))


if __name__ == "__main__":
    write(Path("."), int(sys.argv[1]) if len(sys.argv) > 1 else 128)
