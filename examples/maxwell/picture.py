#!/usr/bin/env python3
"""Draws docs/images/maxwell.png: the electric field across the dipole's plane, before and after the ball has bent it."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits
import model
import pictures

N = 160

with bits.Example(HERE / "maxwell.stn", model.write) as example:
    y, x = np.ogrid[:N, :N]
    ball = (y - N // 2) ** 2 + (x - N // 2) ** 2 <= (0.3 * N) ** 2
    views = []
    for steps in (160, 240, 330):
        ez = example.run(steps, "--schedule", "resident", n=N, pulse=6).files["ez.npy"][N // 2]
        views.append(pictures.shade(pictures.shade(pictures.signed(ez, 99), ball, 0.08), pictures.outline(ball), 0.5))
    pictures.write("maxwell", pictures.beside(*views))
