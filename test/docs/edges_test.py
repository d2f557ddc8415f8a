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

    def test_corners_as_the_text_has_them(self):
        text = """
            stencil corners;
            grid (y: 4, x: 5);
            field u, a, b, c : f64;
            init u = 10*y + x;
            boundary u {
                y.lo: dirichlet 1000 + 10*y + x;
                y.hi: neumann;
                x.lo: neumann;
                x.hi: dirichlet 2000 + 10*y + x;
            }
            step {
                u[t+1] = u;
                a[t+1] = u[y-1, x-1];
                b[t+1] = u[y-1, x+1];
                c[t+1] = u[y+1, x+1];
            }
            steps 1;
            output a to "a.npy"; output b to "b.npy"; output c to "c.npy";
            """
        with Program(text) as program:
            program.run(*SWEEP)
            self.assertEqual(program.load("a.npy")[0, 0], 1000 - 10 + 0)  # x moves it in, then y has a value
            self.assertEqual(program.load("b.npy")[0, 4], 1000 - 10 + 5)  # both have a value: y comes first
            self.assertEqual(program.load("c.npy")[3, 4], 2000 + 30 + 5)  # y moves it in, then x has a value
