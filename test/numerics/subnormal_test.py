"""Numbers below the least normal one, kept and taken as 0: in every step, whatever the schedule."""
import unittest

import numpy as np

from programs import SWEEP, WAYS, Program

EXTENTS = {1: [200000], 2: [67, 400], 3: [23, 31, 70]}
STEPS = 45


def text(ndim, type, expression):
    dims = ["z", "y", "x"][3 - ndim:]
    return f"""
        stencil fading;
        grid ({", ".join(f"{d}: {n}" for d, n in zip(dims, EXTENTS[ndim]))});
        field u : {type};
        init u from "u0.npy";
        boundary u = dirichlet 0;
        step {{ u[t+1] = {expression}; }}
        steps {STEPS};
        output u to "u.npy";
        """


def beginning(ndim, dtype):
    """Powers of two down to where halves of them are subnormal: what a product or a sum with them is rounded to is exact."""
    tiny = np.log2(np.finfo(dtype).tiny)
    return (2.0 ** np.random.default_rng(5).integers(tiny + 3, tiny + 24, EXTENTS[ndim])).astype(dtype)


def flushed(u):
    return np.where(np.abs(u) < np.finfo(u.dtype).tiny, np.copysign(u.dtype.type(0), u), u)


def advance(u, zero):
    """u[t+1] = 0.5*u + 0.25*u[x-1]."""
    least = flushed if zero else lambda a: a
    before = np.zeros_like(u)
    before[..., 1:] = u[..., :-1]
    half, quarter = u.dtype.type(0.5), u.dtype.type(0.25)
    return least(least(half * least(u)) + least(quarter * least(before)))


class Subnormals(unittest.TestCase):
    def expect(self, ndim, type, dtype):
        u0 = beginning(ndim, dtype)
        want = {}
        for how in ("keep", "zero"):
            want[how] = u0
            for _ in range(STEPS):
                want[how] = advance(want[how], how == "zero")
        self.assertGreater(np.count_nonzero(want["keep"] != want["zero"]), u0.size // 10)
        with Program(text(ndim, type, "0.5*u + 0.25*u[x-1]")) as program:
            np.save(program.folder / "u0.npy", u0)
            for way in WAYS:
                for how in ("keep", "zero"):
                    with self.subTest(" ".join(way), how=how):
                        program.run(*way, "--subnormals", how)
                        self.assertEqual(program.load("u.npy").tobytes(), want[how].tobytes())
            program.run(*SWEEP)
            self.assertEqual(program.load("u.npy").tobytes(), want["keep"].tobytes(), "kept where nothing is said")

    def test_one_dimension(self):
        self.expect(1, "f64", np.float64)

    def test_two_dimensions(self):
        self.expect(2, "f32", np.float32)

    def test_three_dimensions(self):
        self.expect(3, "f32", np.float32)

    def test_a_run_goes_on_as_it_was_begun(self):
        with Program(text(3, "f32", "0.5*u + 0.25*u[x-1]")) as program:
            np.save(program.folder / "u0.npy", beginning(3, np.float32))
            way = ["--schedule", "stream", "--engine", "threads", "--bt", 3]
            program.run(*way, "--subnormals", "zero", "--steps", 9, "--keep")
            refused = program.run(*way, "--resume", status=65)
            self.assertIn("it has 'subnormals zero', this run has 'subnormals keep'", refused.stderr)
            program.run(*way, "--resume", "--subnormals", "zero", "--steps", STEPS)
            resumed = program.load("u.npy")
            program.run(*SWEEP, "--subnormals", "zero")
            self.assertEqual(resumed.tobytes(), program.load("u.npy").tobytes())

    def test_how_many_there_are(self):
        with Program(text(3, "f32", "u")) as program:
            for values, share in ((np.float32(1e-40), 1), (np.float32(-1e-44), 1), (np.float32(0), 0), (np.float32(1.2e-38), 0)):
                np.save(program.folder / "u0.npy", np.full(EXTENTS[3], values))
                for way in (SWEEP, WAYS[3]):
                    self.assertEqual(program.report(*way)["measured"]["subnormal_share"], share, values)

    def test_there_are_two_ways(self):
        with Program(text(1, "f32", "u")) as program:
            self.assertIn("there is no 'flush'", program.run("--subnormals", "flush", status=2).stderr)
