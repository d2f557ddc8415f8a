#!/usr/bin/env python3
"""Draws docs/images/oscillator.png: a slice of psi at four moments of imaginary time."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits
import pictures

N, H = 119, 0.1     # as wide as the example is, in finer cells

with bits.Example(HERE / "oscillator.stn") as example:
    views = []
    for steps in (0, 80, 330, 1700):
        psi = example.run(steps, "--schedule", "resident", n=N, h=H, dt=0.0015).files["psi.npy"]
        views.append(pictures.plain(psi[N // 2 - N // 5]))
    pictures.write("oscillator", pictures.beside(*views))
