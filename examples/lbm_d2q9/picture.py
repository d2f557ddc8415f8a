#!/usr/bin/env python3
"""Draws docs/images/lbm_d2q9.png: the vorticity of the shear layers as they roll up."""
import sys
from pathlib import Path

import numpy as np
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits
import check
import pictures


def vorticity(f):
    _, (ux, uy) = check.moments(f)
    return (np.roll(uy, -1, 1) - np.roll(uy, 1, 1) - np.roll(ux, -1, 0) + np.roll(ux, 1, 0)) / 2


with bits.Example(HERE / "lbm_d2q9.stn") as example:
    views = [pictures.signed(vorticity(check.populations(example.run(steps, "--schedule", "resident"))))
             for steps in (600, 1500, 2400)]
    pictures.write("lbm_d2q9", pictures.beside(*views))
