#!/usr/bin/env python3
"""Draws docs/images/gray_scott.png: how much V there is at three moments, in 32 shades."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits
import pictures

with bits.Example(HERE / "gray_scott.stn") as example:
    views = [pictures.plain((80 * example.run(steps, "--schedule", "resident").files["v.npy"]).round(), 0, 32)
             for steps in (100, 1000, 10000)]
    pictures.write("gray_scott", pictures.beside(*views))
