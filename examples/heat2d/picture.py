#!/usr/bin/env python3
"""Draws docs/images/heat2d.png: the plate, early and late."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import bits
import pictures

with bits.Example(HERE / "heat2d.stn") as example:
    views = [pictures.plain(example.run(steps, n=200).files["heat2d.npy"]) for steps in (500, 4000)]
    pictures.write("heat2d", pictures.beside(*views))
