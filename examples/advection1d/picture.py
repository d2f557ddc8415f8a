#!/usr/bin/env python3
"""Draws docs/images/advection1d.png: the train after 600 steps at three Courant numbers."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import bits
import pictures

with bits.Example(HERE / "advection1d.stn") as example:
    bands = [np.tile(example.run(600, n=512, cfl=cfl).files["advection1d.npy"], (48, 1)) for cfl in (1, 0.95, 0.8)]
    white = np.full((6, 512, 3), 255, np.uint8)
    pictures.write("advection1d", np.vstack([part for band in bands for part in (pictures.plain(band, 0, 1), white)][:-1]))
