#!/usr/bin/env python3
"""Draws docs/images/heat3d_27pt.png: slices through the hot corner and the cold one."""
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import bits
import pictures

with bits.Example(HERE / "heat3d_27pt.stn") as example:
    u = example.run(120, n=128).files["heat3d_27pt.npy"]
    pictures.write("heat3d_27pt", pictures.beside(*(pictures.signed(u[z], 100) for z in (32, 60, 96))))
