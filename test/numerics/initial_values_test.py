"""Coefficients and initial values that are made from coefficients: numpy makes the same, every way to run, and each of them is read as often as is planned."""
import unittest

import numpy as np
from programs import WAYS, Program, difference

TEXT = """
stencil made;
grid (z: 20, y: 400, x: 24);
field u, v : f64;
field m : f32;
coef speed : f32 from "speed.npy";
coef modulus : f64 = 0.5 * speed * speed + z;
coef level : f64 = modulus - 2 * speed;
init u = max(level, modulus / 4);
init v = speed;
init m = 1;
boundary u, v = fixed;
step {
    u[t+1] = u[t-1] + level * (u[z-1] - u[x+1]);
    v[t+1] = v + modulus;
    m[t+1] = m;
}
steps 3;
output u to "u.npy";
output v to "v.npy";
"""


class MadeFromCoefficients(unittest.TestCase):
    def setUp(self):
        self.program = Program(TEXT)
        self.speed = np.random.default_rng(7).random((20, 400, 24), dtype=np.float32)
        np.save(self.program.folder / "speed.npy", self.speed)

    def tearDown(self):
        self.program.__exit__()

    def test_numpy_makes_the_same(self):
        speed = self.speed
        z = np.arange(20, dtype=np.float32)[:, None, None]
        modulus = (np.float32(0.5) * speed * speed + z).astype(np.float64)
        level = modulus - (np.float32(2) * speed).astype(np.float64)
        for way in WAYS + [["--engine", "mmap", "--schedule", "stream", "--bt", "2", "--bz", "3", "--columns", "2"]]:
            with self.subTest(way=way):
                self.program.run(*way, "--steps", "0")
                self.assertIsNone(difference(self.program.load("u.npy"), np.maximum(level, modulus / 4), "u"))
                self.assertIsNone(difference(self.program.load("v.npy"), speed.astype(np.float64), "v"))

    def test_what_is_read_for_them_is_planned(self):
        cells = 20 * 400 * 24
        for way in WAYS:
            with self.subTest(way=way):
                report = self.program.report(*way)
                planned, read = report["plan"]["import_read_bytes"], report["measured"]["import_read_bytes"]
                self.assertEqual(read, planned)
                # Two levels of u from two coefficients, one of v, of the modulus and of the level from one and from two.
                least = 3 * (cells * 4) + 5 * (cells * 8)
                if report["plan"]["store_bytes"] == 0:
                    self.assertEqual(read, 0, "in place nothing is read")
                else:
                    self.assertGreaterEqual(read, least)
                    self.assertLess(read, 2 * least)
