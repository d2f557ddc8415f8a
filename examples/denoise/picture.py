#!/usr/bin/env python3
"""Draws docs/images/denoise.png: the noisy picture and what 60 steps make of it."""
import sys
from pathlib import Path

import numpy as np
HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits
import pictures


def grey(values):
    """In 26 shades."""
    return np.repeat(((np.clip(values, 0, 1) * 25).round() * 10).astype(np.uint8)[..., None], 3, -1)


with bits.Example(HERE / "denoise.stn") as example:
    views = [grey(example.run(steps).files["denoised.npy"]) for steps in (0, 60)]
    pictures.write("denoise", pictures.beside(*views))
