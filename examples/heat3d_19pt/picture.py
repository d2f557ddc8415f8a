#!/usr/bin/env python3
"""Draws docs/images/heat3d_19pt.png: the middle slice at the start and after 30 and 200 steps."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import bits
import pictures

with bits.Example(HERE / "heat3d_19pt.stn") as example:
    views = [pictures.plain(example.run(steps, n=128).files["heat3d_19pt.npy"][64]) for steps in (0, 30, 200)]
    pictures.write("heat3d_19pt", pictures.beside(*views))
