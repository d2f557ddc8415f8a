#!/usr/bin/env python3
"""Draws docs/images/shallow_water.png: the water's surface, early, and when the waves have met themselves."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits
import pictures

with bits.Example(HERE / "shallow_water.stn") as example:
    views = [pictures.signed(example.run(steps, n=180).files["depth.npy"] - 100, 99.9) for steps in (70, 180, 350)]
    pictures.write("shallow_water", pictures.beside(*views))
