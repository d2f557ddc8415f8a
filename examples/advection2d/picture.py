#!/usr/bin/env python3
"""Draws docs/images/advection2d.png: the dye at the start and when it has been carried around once."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits
import pictures

with bits.Example(HERE / "advection2d.stn") as example:
    views = [pictures.plain(example.run(steps, n=256).files["c.npy"], 0, 1) for steps in (0, 320, 640)]
    pictures.write("advection2d", pictures.beside(*views))
