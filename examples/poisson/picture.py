#!/usr/bin/env python3
"""Draws docs/images/poisson.png: the middle of the cube after 20 and 100 steps, and solved."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits
import pictures

N = 175

with bits.Example(HERE / "poisson.stn") as example:
    slices = [example.run(steps, "--schedule", "resident", n=N).files["u.npy"][N // 2] for steps in (20, 100, 20000)]
    pictures.write("poisson", pictures.beside(*(pictures.signed(u, 100) for u in slices)))
