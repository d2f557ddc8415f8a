#!/usr/bin/env python3
"""Draws docs/images/lbm_d3q19.png: the speed of the flow in three planes across z, after 20 steps."""
import sys
from pathlib import Path

import numpy as np
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits
import check
import pictures

N = 150

with bits.Example(HERE / "lbm_d3q19.stn") as example:
    run = example.run(20, "--schedule", "resident", n=N)
    _, u = check.moments(check.populations(run))
    speed = np.sqrt((u ** 2).sum(0))
    views = [pictures.plain(speed[at], 0, speed.max()) for at in (0, N // 8, N // 4)]
    pictures.write("lbm_d3q19", pictures.beside(*views))
