"""C functions, compiled as they are and lifted: every array that the function leaves behind has the same bits."""
import ctypes
import os
import tempfile
import unittest
from pathlib import Path

import numpy as np

import compilers
import programs
from programs import call, compiler

INPUTS = Path(__file__).resolve().parent / "inputs"
WAYS = [
    ["--schedule", "sweep", "--engine", "memory"],
    ["--schedule", "stream", "--engine", "mmap", "--bt", "3", "--bz", "2", "--threads", "2"],
    ["--schedule", "overlap", "--engine", "memory", "--bt", "2", "--bz", "4", "--threads", "2"],
]


def out_of_core(megabytes):
    return ["--schedule", "stream", "--engine", "aio", "--memory", compilers.budget(megabytes), "--threads", "2"]


def argument(value):
    if isinstance(value, np.ndarray):
        return value.ctypes.data_as(ctypes.c_void_p)
    return {int: ctypes.c_int, float: ctypes.c_double}.get(type(value), lambda v: v)(value)


class Lifted:
    """A kernel of inputs/, compiled as C, and its program, in a folder of their own."""

    def __init__(self, source, function, lift=(), flags=(), defines=()):
        self.temporary = tempfile.TemporaryDirectory(prefix="oocc-lift-")
        self.folder = Path(self.temporary.name)
        cc = os.environ.get("CC", "cc")
        # No Python can load a sanitizer's libraries.
        call([cc, "-O2", "-ffp-contract=off", "-shared", "-fPIC", "-fno-sanitize=all", *flags, INPUTS / source, "-o", "kernel.so", "-lm"],
             self.folder)
        self.library = ctypes.CDLL(str(self.folder / "kernel.so"))
        self.function = function
        call([compiler(), "lift", INPUTS / source, "--function", function, "-o", "lifted.stn", *lift, "--", *flags], self.folder)
        call([compiler(), "lift", INPUTS / source, "--function", function, "-o", "lifted.c", *lift, "--", *flags], self.folder)
        call([compiler(), "lifted.stn", "--emit=exe", "-o", "lifted", "--cc", compilers.wrapper_for(("cc", defines))], self.folder)
        call([compiler(), "lifted.stn", "-o", "again.c"], self.folder)

    def close(self):
        self.temporary.cleanup()

    def c(self, *arguments, name=None):
        """Calls the C; arrays are changed in place."""
        getattr(self.library, name or self.function)(*[argument(a) for a in arguments])

    def run(self, way, arrays):
        for name, array in arrays.items():
            np.save(self.folder / f"{name}.npy", array)
        call([self.folder / "lifted", "--progress", "off", *way], self.folder)


class Same(unittest.TestCase):
    def same(self, lifted, before, after, ways=WAYS):
        for way in ways:
            with self.subTest(way=" ".join(way)):
                lifted.run(way, before)
                for name, want in after.items():
                    got = np.load(lifted.folder / f"{name}-out.npy")
                    self.assertIsNone(programs.difference(got, np.ascontiguousarray(want), name))

    def lifted(self, *args, **more):
        lifted = Lifted(*args, **more)
        self.addCleanup(lifted.close)
        return lifted


def noise(seed, *shape, dtype=np.float64):
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(dtype)


def globals_of(lifted, shape, *names):
    """Arrays of the file, as numpy sees them."""
    count = int(np.prod(shape))
    return {n: np.ctypeslib.as_array((ctypes.c_double * count).in_dll(lifted.library, n)).reshape(shape) for n in names}


class TwoArrays(Same):
    """PolyBench's form: A and B in turns, different in their rims, and both of them results."""

    def check(self, source, dims, n, steps, more=()):
        lifted = self.lifted(source, source[:-2], lift=["-D", f"n={n}", "-D", f"{more or 'steps'}={steps}"])
        a, b = noise(1, *[n] * dims), noise(2, *[n] * dims)
        before = {"A": a.copy(), "B": b.copy()}
        lifted.c(steps, n, a, b)
        self.assertTrue((a != before["A"]).any() and (b != before["B"]).any())
        return lifted, before, {"A": a, "B": b}

    def test_jacobi_2d(self):
        self.same(*self.check("jacobi2d.c", 2, 61, 7))

    def test_heat_3d(self):
        self.same(*self.check("heat3d.c", 3, 29, 6, "tsteps"))

    def test_heat_3d_out_of_core(self):
        self.same(*self.check("heat3d.c", 3, 130, 5, "tsteps"), ways=[out_of_core(16)])

    def test_jacobi_1d_of_the_file(self):
        lifted = self.lifted("jacobi1d.c", "jacobi1d")
        arrays = globals_of(lifted, (400,), "A", "B")
        for seed, array in enumerate(arrays.values()):
            array[:] = noise(seed, 400)
        before = {name: array.copy() for name, array in arrays.items()}
        lifted.c()
        self.same(lifted, before, arrays)


class Fdtd(Same):
    def test_with_a_series(self):
        nx, ny, steps = 37, 53, 9
        lifted = self.lifted("fdtd2d.c", "fdtd2d", lift=["-D", f"tmax={steps}", "-D", f"nx={nx}", "-D", f"ny={ny}"])
        arrays = {name: noise(i, nx, ny) for i, name in enumerate(("ex", "ey", "hz"))}
        fict = noise(9, steps)
        before = {name: array.copy() for name, array in arrays.items()} | {"fict": fict}
        lifted.c(steps, nx, ny, *arrays.values(), fict)
        self.same(lifted, before, arrays)


class SevenPoints(Same):
    SIZE = (19, 23, 31)  # z, y, x

    def arguments(self):
        z, y, x = self.SIZE
        return z, y, x, ctypes.c_float(0.7), ctypes.c_float(0.11)

    def test_swapped_in_the_function(self):
        z, y, x, c0, c1 = self.arguments()
        for steps in (6, 7):
            lifted = self.lifted("stencil7.c", "run", lift=["-D", "c0=0.7", "-D", "c1=0.11", "-D", f"nx={x}", "-D", f"ny={y}",
                                                           "-D", f"nz={z}", "-D", f"iterations={steps}"])
            a, b = noise(1, *self.SIZE, dtype=np.float32), noise(2, *self.SIZE, dtype=np.float32)
            before = {"A0": a.copy(), "Anext": b.copy()}
            lifted.c(c0, c1, a, b, x, y, z, steps)
            self.same(lifted, before, {"A0": b, "Anext": a} if steps % 2 else {"A0": a, "Anext": b})

    def test_swapped_by_the_caller(self):
        z, y, x, c0, c1 = self.arguments()
        steps = 5
        lifted = self.lifted("stencil7.c", "stencil7", lift=["--swap", "A0,Anext", "--same-rims", "-D", "c0=0.7", "-D", "c1=0.11", "-D",
                                                            f"nx={x}", "-D", f"ny={y}", "-D", f"nz={z}", "-D", f"steps={steps}"])
        a = noise(1, *self.SIZE, dtype=np.float32)
        b = a.copy()
        before = {"A0": a.copy(), "Anext": b.copy()}
        for _ in range(steps):
            lifted.c(c0, c1, a, b, x, y, z)
            a, b = b, a
        self.same(lifted, before, {"A0": a, "Anext": b})


class Wave(Same):
    def test_levels_in_turns(self):
        ny, nx = 33, 45
        for steps in (7, 8, 9):
            lifted = self.lifted("wave.c", "wave", lift=["-D", f"ny={ny}", "-D", f"nx={nx}", "-D", f"steps={steps}", "-D", "dt=0.1", "-D",
                                                         "h=0.5"])
            u, c = noise(3, 3, ny, nx), noise(4, ny, nx)
            before = {f"u{i}": u[i].copy() for i in range(3)} | {"c": c}
            lifted.c(steps, ny, nx, u, c, 0.1, 0.5)
            self.same(lifted, before, {f"u{i}": u[(steps + i) % 3] for i in range(3)})


class Functions(Same):
    SIZE = ["-D", "n=41", "-D", "steps=9"]

    def both(self, *defines):
        lifted = self.lifted("pendulums.c", "pendulums", lift=self.SIZE, defines=defines)
        u, v = 2 * noise(7, 41, 41), noise(8, 41, 41)
        before = {"u": u.copy(), "v": v.copy()}
        lifted.c(9, 41, u, v)
        return lifted, before, {"u": u, "v": v}

    def test_of_the_c_library(self):
        self.same(*self.both("-DOOCC_LIBM"))

    def test_of_oocc_are_others_by_a_bit_or_two(self):
        lifted, before, after = self.both()
        lifted.run(WAYS[0], before)
        for name, want in after.items():
            got = np.load(lifted.folder / f"{name}-out.npy")
            self.assertNotEqual(got.tobytes(), want.tobytes())
            np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-14)

    def test_the_program_says_so(self):
        lifted, *_ = self.both()
        self.assertIn("// the C library's functions (atan2, cos, exp, log, sin, tanh): for the same bits, compile the C with -DOOCC_LIBM",
                      (lifted.folder / "lifted.stn").read_text())


class InPlace(Same):
    """Helper functions, OpenMP, conditions, unrolled sums; colours; faces, an array of the function's own, integers."""

    def test_reaction_in_float(self):
        ny, nx, steps = 31, 47, 6
        lifted = self.lifted("helper.c", "react", lift=["-D", f"ny={ny}", "-D", f"nx={nx}", "-D", f"steps={steps}", "-D", "k=0.3"])
        u, v = noise(1, ny, nx, dtype=np.float32), noise(2, ny, nx, dtype=np.float32)
        mask = (noise(3, ny, nx) > 0).astype(np.uint8)
        before = {"u": u, "v": v.copy(), "mask": mask}
        lifted.c(steps, ny, nx, u, mask, v, ctypes.c_float(0.3))
        self.same(lifted, before, {"v": v})

    def test_red_and_black(self):
        lifted = self.lifted("helper.c", "redblack", lift=["-D", "n=37", "-D", "steps=5"])
        a = noise(5, 37, 37)
        before = {"a": a.copy()}
        lifted.c(5, 37, a)
        self.same(lifted, before, {"a": a})

    def test_faces(self):
        n, m, steps = 25, 33, 7
        lifted = self.lifted("helper.c", "faces", lift=["-D", f"n={n}", "-D", f"m={m}", "-D", f"steps={steps}"])
        u = np.random.default_rng(6).integers(-99, 99, (n, m), dtype=np.int32)
        before = {"u": u.copy()}
        lifted.c(steps, n, m, u)
        self.same(lifted, before, {"u": u})


class TheSame(Same):
    """That a difference would be seen: of another program the bits are others."""

    def test_a_change_is_seen(self):
        lifted = self.lifted("jacobi2d.c", "jacobi2d", lift=["-D", "n=21", "-D", "steps=3"])
        a, b = noise(1, 21, 21), noise(2, 21, 21)
        before = {"A": a.copy(), "B": b.copy()}
        lifted.c(2, 21, a, b)  # one step less
        lifted.run(WAYS[0], before)
        self.assertIsNotNone(programs.difference(np.load(lifted.folder / "A-out.npy"), a))


if __name__ == "__main__":
    unittest.main()
