"""Draws the examples' pictures: each `picture.py` runs its example and leaves docs/images/NAME.png."""
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "scripts")]

import slice_png


def signed(values, share=99.5):
    """Values of either sign; the strongest colours are for this percentile of their sizes, so that faint waves show."""
    high = np.percentile(np.abs(values), share)
    return slice_png.colour(values, -high, high, slice_png.SIGNED)


def plain(values, low=None, high=None):
    """From the least value, dark, to the greatest."""
    return slice_png.colour(values, values.min() if low is None else low, values.max() if high is None else high)


def shade(pixels, where, strength=0.12):
    """Darkens the cells where something is."""
    return (pixels * np.where(where, 1 - strength, 1)[..., None]).astype(np.uint8)


def outline(where):
    """The cells just inside."""
    inner = where.copy()
    for axis in (0, 1):
        for step in (1, -1):
            inner &= np.roll(where, step, axis)
    return where & ~inner


def beside(*pictures, gap=8):
    """Pictures of one height next to each other."""
    white = np.full((pictures[0].shape[0], gap, 3), 255, np.uint8)
    return np.hstack([part for picture in pictures for part in (picture, white)][:-1])


def write(name, pixels):
    path = ROOT / "docs/images" / f"{name}.png"
    path.write_bytes(slice_png.png(pixels))
    print(f"{path.relative_to(ROOT)}: {pixels.shape[1]} x {pixels.shape[0]}, {path.stat().st_size >> 10} KiB")
