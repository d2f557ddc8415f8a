"""Compares yee2d with the same steps in numpy, bit for bit, however the program is run."""
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

import bits
from bits import programs


def reference(files, steps):
    ez, hx, hy = (files[name] for name in ("ez.npy", "hx.npy", "hy.npy"))
    assert ez.any() and not hx.any() and not hy.any()
    k = 0.5
    for _ in range(steps):
        p = np.pad(ez, 1)
        hx = hx - k * (p[2:, 1:-1] - ez)
        hy = hy + k * (p[1:-1, 2:] - ez)
        ez = ez + k * (hy - np.pad(hy, 1)[1:-1, :-2] - hx + np.pad(hx, 1)[:-2, 1:-1])
    return {"ez.npy": ez, "hx.npy": hx, "hy.npy": hy}


def main():
    programs.check(HERE / "yee2d.stn", ["-D", "n=203"], 37, reference)
    with bits.Example(HERE / "yee2d.stn") as example:
        example.same_bits(26, dict(n=41), dict(n=53), dict(n=603))


if __name__ == "__main__":
    main()
