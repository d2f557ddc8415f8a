"""The figure of the edges in language.md: what it says a read beyond a face sees is what a run gives."""
import re
import unittest

import numpy as np

from pages import ROOT, blocks
from programs import SWEEP, Program

CELLS = "abcdef"


def figure():
    """{edge: (the three cells before the grid, the three after it)}."""
    rows = {}
    for block in blocks(ROOT / "docs/language.md"):
        if not block.mark("edges"):
            continue
        for line in block.text.splitlines():
            row = re.fullmatch(r" *(\w+(?: \d)?) +([\w ]+?) *\| *" + " +".join(CELLS) + r" *\| *([\w ]+)", line)
            if row:
                rows[row.group(1)] = (row.group(2).split(), row.group(3).split())
    return rows


def seen(edge, offset):
    """What each cell sees `offset` cells away along x, of a field that holds 1, 2, 3, ..."""
    text = f"""
        stencil edge;
        grid (y: 2, x: {len(CELLS)});
        field u : f64;
        init u = x + 1;
        boundary u {{ x: {edge}; }}
        step {{ u[t+1] = u[x{offset:+}]; }}
        steps 1;
        output u to "u.npy";
        """
    with Program(text) as program:
        program.run(*SWEEP)
        return program.load("u.npy")[0]


class Edges(unittest.TestCase):
    def test_figure(self):
        rows = figure()
        self.assertEqual(sorted(rows), ["dirichlet 7", "neumann", "periodic", "reflect", "reflect_center"])
        value = lambda cell: CELLS.index(cell) + 1 if cell in CELLS else int(cell)
        for edge, (before, after) in rows.items():
            with self.subTest(edge):
                np.testing.assert_array_equal(seen(edge, -3)[:3], [value(c) for c in before])
                np.testing.assert_array_equal(seen(edge, +3)[3:], [value(c) for c in after])
