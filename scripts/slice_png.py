#!/usr/bin/env python3
"""Draws a slice of a field as a PNG: `slice_png.py heat3d.npy heat3d.png [--axis 0] [--index 256] [--rows 100:400]`.

Only the slice is read, so the file may be larger than memory. Needs numpy and nothing else.
"""
import argparse
import struct
import zlib

import numpy as np

# From dark to light by way of purple and orange; equal steps of value look like equal steps of brightness.
COLOURS = np.array([(0, 0, 4), (31, 12, 72), (85, 15, 109), (136, 34, 106), (186, 54, 85), (227, 89, 51),
                    (249, 140, 10), (249, 201, 50), (252, 255, 164)], float)

# For values of either sign: blue below, red above, and white where nothing is.
SIGNED = np.array([(5, 48, 97), (67, 147, 195), (209, 229, 240), (255, 255, 255), (253, 219, 199), (214, 96, 77),
                   (103, 0, 31)], float)


def colour(values, low, high, colours=COLOURS):
    """RGB bytes for values between low and high."""
    scaled = np.clip((values - low) / (high - low if high > low else 1), 0, 1) * (len(colours) - 1)
    at = np.arange(len(colours))
    return np.stack([np.interp(scaled, at, colours[:, i]) for i in range(3)], axis=-1).round().astype(np.uint8)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(pixels):
    """The bytes of a PNG file for rows of RGB pixels."""
    height, width, _ = pixels.shape
    lines = np.zeros((height, 1 + 3 * width), np.uint8)     # every line begins with its filter: 0, none
    lines[:, 1:] = pixels.reshape(height, -1)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)) + chunk(b"IEND", b""))


def draw(source, target, axis=0, index=None, rows=None, low=None, high=None):
    field = np.load(source, mmap_mode="r")
    if field.ndim == 3:
        field = field.take(field.shape[axis] // 2 if index is None else index, axis) if axis else \
            field[field.shape[0] // 2 if index is None else index]
    values = np.array(np.atleast_2d(field), float)
    if rows:
        values = values[rows[0]:rows[1]]
    pixels = colour(values, values.min() if low is None else low, values.max() if high is None else high)
    with open(target, "wb") as out:
        out.write(png(pixels))


def row_range(text):
    first, last = text.split(":")
    return int(first), int(last)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="a .npy file of one to three dimensions")
    parser.add_argument("target", help="the .png to write")
    parser.add_argument("--axis", type=int, default=0, help="dimension to cut across (3-D)")
    parser.add_argument("--index", type=int, help="where to cut; default: the middle")
    parser.add_argument("--rows", type=row_range, metavar="A:B", help="only these rows of the slice")
    parser.add_argument("--low", type=float, help="value of the darkest colour; default: the least there is")
    parser.add_argument("--high", type=float, help="value of the lightest colour")
    options = parser.parse_args()
    draw(options.source, options.target, options.axis, options.index, options.rows, options.low, options.high)
