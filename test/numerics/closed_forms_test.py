"""Programs whose result after any number of steps is known in closed form."""
import unittest

import numpy as np

from programs import SWEEP, Program

STREAM = ["--schedule", "stream", "--engine", "mmap", "--bt", "4", "--bz", "2", "--threads", "2"]


def mode(extents, numbers):
    """The product of sines that vanishes one cell outside every face, and its eigenvalues under the second difference."""
    u, eigenvalue = np.ones(extents), 0.0
    for axis, (n, k) in enumerate(zip(extents, numbers)):
        shape = [1] * len(extents)
        shape[axis] = n
        u = u * np.sin(np.pi * k * (np.arange(n) + 1) / (n + 1)).reshape(shape)
        eigenvalue -= 4 * np.sin(np.pi * k / (2 * (n + 1))) ** 2
    return u, eigenvalue


def grid(extents):
    return ", ".join(f"{d}: {n}" for d, n in zip(["z", "y", "x"][3 - len(extents):], extents))


def neighbours(name, ndim):
    return " + ".join(f"{name}[{d}{s}1]" for d in ["z", "y", "x"][3 - ndim:] for s in "-+")


class HeatModes(unittest.TestCase):
    """A mode of the heat equation decays by the same factor in every step."""

    def decays(self, extents, numbers, alpha, steps):
        u0, eigenvalue = mode(extents, numbers)
        text = f"""
            stencil mode;
            param alpha : f64 = {alpha};
            grid ({grid(extents)});
            field u : f64;
            init u from "u0.npy";
            boundary u = dirichlet 0;
            step {{ u[t+1] = u + alpha * ({neighbours("u", len(extents))} - {2 * len(extents)}*u); }}
            steps {steps};
            output u to "u.npy";
            """
        with Program(text) as program:
            np.save(program.folder / "u0.npy", u0)
            for way in (SWEEP, STREAM):
                program.run(*way)
                np.testing.assert_allclose(program.load("u.npy"), (1 + alpha * eigenvalue) ** steps * u0,
                                           rtol=0, atol=1e-12)

    def test_one_dimension(self):
        self.decays([3001], [7], 0.45, 200)

    def test_two_dimensions(self):
        self.decays([73, 131], [2, 3], 0.24, 120)

    def test_three_dimensions(self):
        self.decays([29, 37, 43], [1, 2, 1], 0.16, 60)


class WaveModes(unittest.TestCase):
    """A standing wave oscillates as the discrete dispersion relation says: cos(omega) = 1 + c2 * eigenvalue / 2."""

    def test_two_dimensions(self):
        extents, c2, steps = [61, 83], 0.4, 150
        shape, eigenvalue = mode(extents, [3, 2])
        omega = np.arccos(1 + c2 * eigenvalue / 2)
        text = f"""
            stencil standing;
            grid ({grid(extents)});
            field u : f64;
            coef  m : f64 from "mode.npy";
            init u = 0;
            init u[t-1] = 0;
            boundary u = dirichlet 0;
            // Driven to the mode in the first step and left alone from then on.
            step {{ u[t+1] = if t == 0 then {np.sin(omega)!r} * m
                             else 2*u - u[t-1] + {c2} * ({neighbours("u", 2)} - 4*u); }}
            steps {steps};
            output u to "u.npy";
            """
        with Program(text) as program:
            np.save(program.folder / "mode.npy", shape)
            for way in (SWEEP, STREAM):
                program.run(*way)
                np.testing.assert_allclose(program.load("u.npy"), np.sin(omega * steps) * shape, rtol=0, atol=1e-11)


class HeatConverges(unittest.TestCase):
    """Against the continuous equation the error falls with the square of the spacing."""

    def error(self, n):
        alpha, steps = 0.25, (n + 1) ** 2 // 8
        u0, _ = mode([n], [1])
        text = f"""
            stencil order;
            grid (x: {n});
            field u : f64;
            init u from "u0.npy";
            boundary u = dirichlet 0;
            step {{ u[t+1] = u + {alpha} * (u[x-1] + u[x+1] - 2*u); }}
            steps {steps};
            output u to "u.npy";
            """
        with Program(text) as program:
            np.save(program.folder / "u0.npy", u0)
            program.run(*STREAM)
            exact = np.exp(-np.pi ** 2 * alpha * steps / (n + 1) ** 2) * u0
            return np.abs(program.load("u.npy") - exact).max()

    def test_second_order(self):
        ratio = self.error(31) / self.error(63)
        self.assertAlmostEqual(np.log2(ratio), 2, delta=0.05)


class Advection(unittest.TestCase):
    """At CFL 1 upwind differences carry every value on by exactly one cell a step, in any direction of the grid."""

    def test_carries_along_each_dimension(self):
        text = """
            stencil carry;
            param a : int = 1;
            grid (y: 57, x: 91);
            field u : f32;
            init u from "u0.npy";
            boundary u = dirichlet -1;
            step { u[t+1] = if a == 1 then u[y-1] else u[x+1]; }
            steps 10;
            output u to "u.npy";
            """
        u0 = np.random.default_rng(1).random((57, 91), dtype=np.float32)
        with Program(text) as program:
            np.save(program.folder / "u0.npy", u0)
            program.run(*STREAM)
            down = np.concatenate([np.full((10, 91), -1, np.float32), u0[:-10]])
            self.assertTrue((program.load("u.npy") == down).all())
            program.run(*STREAM, "-D", "a=0")
            left = np.concatenate([u0[:, 10:], np.full((57, 10), -1, np.float32)], axis=1)
            self.assertTrue((program.load("u.npy") == left).all())
