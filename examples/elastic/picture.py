#!/usr/bin/env python3
"""Draws docs/images/elastic.png: P waves (the divergence of the velocity) and S waves (its curl) after a blast."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import bits
import model
import pictures

N = 300

with bits.Example(HERE / "elastic.stn", model.write) as example:
    run = example.run(520, "--schedule", "resident", n=N).files
    vx, vz = run["vx.npy"].astype(float), run["vz.npy"].astype(float)
    divergence = np.diff(vx, axis=1)[1:] + np.diff(vz, axis=0)[:, 1:]
    curl = np.diff(vx, axis=0)[:, :-1] - np.diff(vz, axis=1)[:-1]
    lower = np.arange(1, N)[:, None] * np.ones(N - 1) >= N // 2
    pictures.write("elastic", pictures.beside(*(pictures.shade(pictures.signed(view, 99), lower)
                                                for view in (divergence, curl))))
