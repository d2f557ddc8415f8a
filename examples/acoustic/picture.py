#!/usr/bin/env python3
"""Draws docs/images/acoustic.png: the pressure in the plane of the source, and what the receivers heard."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits
import model
import pictures

N = 200


def seismogram(traces, width):
    """Time downwards, receivers side by side."""
    rows = np.linspace(0, len(traces) - 1, N).astype(int)
    columns = np.arange(width) * traces.shape[1] // width
    return traces[rows][:, columns]


with bits.Example(HERE / "acoustic.stn", model.write) as example:
    early = example.run(330, "--schedule", "resident", n=N).files["p.npy"][:, N // 2]
    run = example.run(560, "--schedule", "resident", n=N).files
    v = model.velocity(N)[:, None] * np.ones(N)
    views = [pictures.shade(pictures.shade(pictures.signed(p, 99), v > 2000), v > 2500)
             for p in (early, run["p.npy"][:, N // 2])]
    pictures.write("acoustic", pictures.beside(*views, pictures.signed(seismogram(run["traces.npy"], 117), 93)))
