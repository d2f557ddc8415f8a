#!/usr/bin/env python3
"""Draws docs/images/life.png: what the R-pentomino has become after 1110 generations, and where it has been."""
import sys
from pathlib import Path

import numpy as np
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits
import pictures

with bits.Example(HERE / "life.stn") as example:
    files = example.run(1110, "--schedule", "resident").files
    shown = slice(110, 530), slice(20, 620)
    pixels = pictures.plain(files["trail.npy"][shown].astype(float), 0, 300)
    pixels[files["life.npy"][shown] == 1] = 255
    pictures.write("life", pixels)
