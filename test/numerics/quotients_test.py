"""Quotients by what all cells of a row are divided by, which are made of its inverse (oocc/quotients.h), against numpy's: the same bits of every
operand and divisor, also beside numbers that overflow or are rounded for being too small."""
import unittest
from itertools import product

import numpy as np

import compilers
from programs import SWEEP, Program

TYPES = {"f32": (np.float32, np.uint32, 23), "f64": (np.float64, np.uint64, 52)}


def text(type, rows, cells):
    """Twice: once into another grid, and once over what is divided."""
    return f"""
        stencil quotients;
        param c : {type} = 1;
        grid (y: {rows}, x: {cells});
        field u : {type};
        field v : {type};
        init u from "x.npy";
        init v from "x.npy";
        boundary u, v = fixed;
        step {{
            u[t+1] = u / c;
            v[t+1] = v[t-1] / c;
        }}
        stop on none;
        steps 1;
        output u to "u.npy";
        output v to "v.npy";
        """


def divisors(type):
    """Ordinary ones, those whose inverse is least exact (just below 2), powers of two, the limits, and what has no inverse to multiply by."""
    dtype, bits, digits = TYPES[type]
    just_below_two = [dtype(2) - dtype(j) * np.finfo(dtype).eps for j in (1, 2, 3, 5, 7, 51, 1001)]
    powers = np.exp2(np.array([-1, 40, -40], dtype))
    limits = [np.finfo(dtype).tiny, np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal, dtype(np.exp2(dtype(-100))), dtype(np.exp2(dtype(100)))]
    ordinary = np.random.default_rng(3).uniform(0.01, 300, 8).astype(dtype)
    return [dtype(c) for c in (3, 12, 0.01, 1e-17, 1e20, -3, -0.7, *just_below_two, *powers, *limits, *ordinary)]


def of_all_sizes(type, rows, cells):
    """A row has numbers of nearly one size, so that it overflows, or is rounded for being small, or neither; zeros besides, and in few rows infinities."""
    dtype, bits, digits = TYPES[type]
    rng = np.random.default_rng(7)
    largest = 2 * np.finfo(dtype).maxexp - 2
    size = np.concatenate([np.arange(80), largest - np.arange(80), np.linspace(80, largest - 80, rows - 160)]).astype(int)
    exponent = np.minimum(size[:, None] + rng.integers(0, 3, (rows, cells)), largest).astype(bits)
    sign = rng.integers(0, 2, (rows, cells), dtype=bits)
    mantissa = rng.integers(0, 2 ** digits, (rows, cells), dtype=bits)
    x = (mantissa | exponent << bits(digits) | sign << bits(8 * dtype().itemsize - 1)).view(dtype)
    x[1::2] *= rng.random((rows // 2, cells)) < 0.9
    x[5::16, ::50] = np.inf
    return x


def all_mantissas(exponent):
    return (np.arange(2 ** 23, dtype=np.uint32).reshape(-1, 4096) | np.uint32(exponent << 23)).view(np.float32)


def near_midpoints(type, c, shape):
    """Where a quotient lies as near to the middle between two numbers as it can."""
    dtype, bits, digits = TYPES[type]
    rng = np.random.default_rng(11)
    low = rng.integers(2 ** digits, 2 ** (digits + 1), shape, dtype=np.uint64).astype(dtype)     # all digits of a quotient
    exact = np.longdouble(low) + np.longdouble(0.5)
    return (exact * np.longdouble(c)).astype(dtype)


class Quotients(unittest.TestCase):
    def same(self, program, type, c, x):
        np.save(program.folder / "x.npy", x)
        program.run(*SWEEP, "-D", f"c={c}")
        with np.errstate(all="ignore"):
            want = x / c
        for name in ("u", "v"):
            got = program.load(f"{name}.npy")
            wrong = got.view(TYPES[type][1]) != want.view(TYPES[type][1])
            self.assertEqual(int(wrong.sum()), 0, f"{name}, {type}: {x[wrong][:3]} / {c!r} is {got[wrong][:3]}, not {want[wrong][:3]}")

    def test_of_numbers_of_all_sizes(self):
        shape = (200, 1000)
        # only the compiler of a sanitized runtime links with it
        ways = [()] if compilers.sanitized() else [("--cc", cc) for cc in compilers.found()]
        for type, way in product(TYPES, ways):
            with Program(text(type, *shape), *way) as program:
                for c in divisors(type):
                    self.same(program, type, c, of_all_sizes(type, *shape))

    def test_near_the_middle_of_two_numbers(self):
        for type in TYPES:
            shape = (100, 2000)
            with Program(text(type, *shape)) as program:
                for c in divisors(type):
                    if 1e-3 < abs(c) < 1e3:
                        self.same(program, type, c, near_midpoints(type, c, shape))

    def test_of_all_mantissas_of_f32(self):
        """Of ordinary numbers, of those where exactness ends, of the greatest ones, and of subnormal ones."""
        with Program(text("f32", 2048, 4096)) as program:
            for c in divisors("f32")[:12]:
                for exponent in (127, 26, 254, 0):
                    self.same(program, "f32", c, all_mantissas(exponent))


if __name__ == "__main__":
    unittest.main()
