#!/usr/bin/env python3
"""Draws docs/images/wave3d.png: the plane through the bump, layers shaded."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import bits
import pictures

with bits.Example(HERE / "wave3d.stn") as example:
    n, views = 160, []
    layer = np.arange(n)[:, None] * np.ones(n)
    for steps in (70, 120, 180):
        u = example.run(steps, "--schedule", "resident", n=n).files["wave3d.npy"][:, n // 2]
        views.append(pictures.shade(pictures.shade(pictures.signed(u, 99), layer >= n // 2), layer >= 3 * n // 4))
    pictures.write("wave3d", pictures.beside(*views))
