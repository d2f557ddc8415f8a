#!/usr/bin/env python3
"""Draws docs/images/yee2d.png: the electric field at three moments."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import bits
import pictures

with bits.Example(HERE / "yee2d.stn") as example:
    views = [pictures.signed(example.run(steps, n=180).files["ez.npy"], 99.8) for steps in (100, 240, 420)]
    pictures.write("yee2d", pictures.beside(*views))
