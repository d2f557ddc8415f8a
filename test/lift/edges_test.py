"""Indices that stay within the grid by a condition or a remainder, in all ways that people write them: the same bits as the C's."""
import itertools
import random
import tempfile
import unittest
from pathlib import Path

import numpy as np

from lift_test import WAYS, Same, noise

CLAMP = """
static int clamp(int i, int n) {
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}
static int wrap(int i, int n) {
    if (i < 0) return i + n;
    if (i >= n) return i - n;
    return i;
}
"""
# {i}: the loop's variable, {n}: how many cells there are, {k}: how far.
RING = {
    -1: ["({i} - {k} + {n}) % {n}", "({i} + {n} - {k}) % {n}", "(({i} - {k}) % {n} + {n}) % {n}", "{i} >= {k} ? {i} - {k} : {i} - {k} + {n}",
         "{i} < {k} ? {i} + {n} - {k} : {i} - {k}", "wrap({i} - {k}, {n})"],
    1: ["({i} + {k}) % {n}", "{i} + {k} < {n} ? {i} + {k} : {i} + {k} - {n}", "{i} + {k} >= {n} ? {i} + {k} - {n} : {i} + {k}",
        "{n} - {k} > {i} ? {i} + {k} : {i} - {n} + {k}", "wrap({i} + {k}, {n})"],
}
RING_OF_ONE = {
    -1: ["{i} == 0 ? {n} - 1 : {i} - 1", "{i} ? {i} - 1 : {n} - 1", "!{i} ? {n} - 1 : {i} - 1", "{i} > 0 ? {i} - 1 : {n} - 1"],
    1: ["{i} == {n} - 1 ? 0 : {i} + 1", "{i} < {n} - 1 ? {i} + 1 : 0", "{i} != {n} - 1 ? {i} + 1 : 0", "{i} + 1 == {n} ? 0 : 1 + {i}"],
}
NEAREST = {
    -1: ["{i} == 0 ? 0 : {i} - 1", "{i} > 0 ? {i} - 1 : 0", "{i} >= 1 ? {i} - 1 : {i}", "{i} - 1 < 0 ? 0 : {i} - 1", "clamp({i} - 1, {n})"],
    1: ["{i} == {n} - 1 ? {i} : {i} + 1", "{i} + 1 < {n} ? {i} + 1 : {n} - 1", "{i} < {n} - 1 ? {i} + 1 : {i}",
        "{i} + 1 > {n} - 1 ? {n} - 1 : {i} + 1", "clamp({i} + 1, {n})"],
}
MIRROR = {
    -1: ["{i} == 0 ? 1 : {i} - 1", "{i} > 0 ? {i} - 1 : {i} + 1"],
    1: ["{i} == {n} - 1 ? {n} - 2 : {i} + 1", "{i} < {n} - 1 ? {i} + 1 : {i} - 1"],
}


def kinds():
    """(edge, index to the left, index to the right, how far) of one dimension; every form occurs."""
    generator = random.Random(5)
    for name, forms, far in (("periodic", RING, 2), ("periodic", RING_OF_ONE, 1), ("neumann", NEAREST, 1), ("reflect_center", MIRROR, 1),
                             ("periodic", RING, 1)):
        left, right = (generator.sample(forms[side], len(forms[side])) for side in (-1, 1))
        for at in range(max(len(left), len(right))):
            yield name, left[at % len(left)], right[at % len(right)], far


def function(name, flat, dims):
    """A step over two dimensions: neighbours by their indices, a copy back."""
    cell = (lambda a, j, i: f"{a}[({j}) * m + ({i})]") if flat else (lambda a, j, i: f"{a}[{j}][{i}]")
    index = []
    for (_, left, right, far), i, n in zip(dims, "ji", "nm"):
        index += [f"const int {i}l = {left.format(i=i, n=n, k=far)};", f"const int {i}r = {right.format(i=i, n=n, k=far)};"]
    shape = "double *restrict a, double *restrict b" if flat else "double a[n][m], double b[n][m]"
    body = "\n            ".join(index)
    return f"""
void {name}(int steps, int n, int m, {shape}) {{
    for (int t = 0; t < steps; t++) {{
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {{
            {body}
            {cell('b', 'j', 'i')} = 0.4 * {cell('a', 'j', 'i')} + 0.1 * {cell('a', 'jl', 'i')} + 0.2 * {cell('a', 'jr', 'i')}
                + 0.05 * {cell('a', 'j', 'il')} + 0.15 * {cell('a', 'j', 'ir')} + 0.1 * {cell('a', 'jr', 'il')};
            }}
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++)
                {cell('a', 'j', 'i')} = {cell('b', 'j', 'i')};
    }}
}}
"""


class Forms(Same):
    N, M, STEPS = 23, 31, 6

    def test_every_form(self):
        forms = list(kinds())
        half = (len(forms) + 1) // 2
        pairs = list(itertools.zip_longest(forms[:half], forms[half:], fillvalue=forms[0]))
        with tempfile.TemporaryDirectory(prefix="oocc-lift-") as folder:
            source = Path(folder) / "forms.c"
            source.write_text(CLAMP + "".join(function(f"f{k}", k % 2, dims) for k, dims in enumerate(pairs)))
            for k, dims in enumerate(pairs):
                with self.subTest(dims=dims, flat=bool(k % 2)):
                    self.check(source, k, dims)

    def check(self, source, k, dims):
        lifted = self.lifted(source, f"f{k}", lift=["-D", f"n={self.N}", "-D", f"m={self.M}", "-D", f"steps={self.STEPS}"])
        text = (lifted.folder / "lifted.stn").read_text()
        names = [d[0] for d in dims]
        self.assertIn(f"boundary a = {names[0]};" if names[0] == names[1] else f"boundary a {{ j: {names[0]}; i: {names[1]}; }}", text)
        a, b = noise(1, self.N, self.M), noise(2, self.N, self.M)
        before = {"a": a.copy(), "b": b.copy()}
        lifted.c(self.STEPS, self.N, self.M, a, b)
        self.same(lifted, before, {"a": a}, ways=WAYS[k % 3:k % 3 + 1] + WAYS[:1])


class Arrays(Same):
    """Of every kind: pointers that are swapped, arrays of the function's own, those that are only read; faces of different edges."""

    def test_swapped_and_flat(self):
        z, y, x, steps = 9, 11, 13, 5
        sizes = [f"{name}={value}" for name, value in (("nz", z), ("ny", y), ("nx", x), ("steps", steps), ("k", 0.1))]
        lifted = self.lifted("clamped.c", "clamped", lift=["--same-rims", "--results", "old", *(w for s in sizes for w in ("-D", s))])
        self.assertIn("boundary old = neumann;", (lifted.folder / "lifted.stn").read_text())
        old, new = noise(1, z, y, x), noise(2, z, y, x)
        before = {"old": old.copy()}
        lifted.c(new, old, x, y, z, 0.1, steps)
        self.same(lifted, before, {"old": new if steps % 2 else old})

    def test_staggered_and_periodic(self):
        n, m, steps = 17, 29, 7
        lifted = self.lifted("ring.c", "ring", lift=["-D", f"n={n}", "-D", f"m={m}", "-D", f"steps={steps}", "-D", "dt=0.1"])
        u, v, eta = (noise(i, n, m) for i in range(3))
        depth = 1 + 0.1 * noise(4, n, m)
        before = {"u": u.copy(), "v": v.copy(), "eta": eta.copy(), "depth": depth}
        lifted.c(steps, n, m, 0.1, u, v, eta, depth)
        self.same(lifted, before, {"u": u, "v": v, "eta": eta})

    def test_rims(self):
        n = 5000  # in one dimension passes go over blocks of cells
        for name, swapped in (("rim", False), ("kept", True)):
            lifted = self.lifted("rims.c", name, lift=["-D", f"n={n}", "-D", "steps=6", *(["--same-rims"] if swapped else [])])
            a, b = noise(1, n), noise(2, n)
            if swapped:
                b[[0, -1]] = a[[0, -1]]
            before = {"a": a.copy(), "b": b.copy()}
            lifted.c(6, n, a, b)
            self.same(lifted, before, {"a": a, "b": b})

    def test_offsets_in_loops_and_tables_of_float(self):
        n, m, steps = 24, 32, 5
        lifted = self.lifted("tables.c", "tables", lift=["-D", f"n={n}", "-D", f"m={m}", "-D", f"steps={steps}"])
        a, b = noise(1, n, m, dtype=np.float32), noise(2, n, m, dtype=np.float32)
        before = {"a": a.copy(), "b": b.copy()}
        lifted.c(steps, n, m, a, b)
        self.same(lifted, before, {"a": a, "b": b})

    def test_cells_that_are_passed_by(self):
        n, m, steps = 24, 32, 5
        lifted = self.lifted("tables.c", "skips", lift=["-D", f"n={n}", "-D", f"m={m}", "-D", f"steps={steps}"])
        a, b = noise(1, n, m), noise(2, n, m)
        mask = (noise(3, n, m) > -0.5).astype(np.uint8)
        before = {"a": a.copy(), "b": b.copy(), "mask": mask}
        lifted.c(steps, n, m, mask, a, b)
        self.same(lifted, before, {"a": a, "b": b})


if __name__ == "__main__":
    unittest.main()
