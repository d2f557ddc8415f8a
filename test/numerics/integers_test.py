"""Integers wrap around in what is computed per cell, by every compiler at every level and without undefined behaviour; what is computed
once per run is checked."""
import unittest

import numpy as np

import compilers
import programs

STEPS = 5
OVERFLOWS = """
stencil overflows;
param k : int = 3037000500;
let edge = -9223372036854775807 - 1;
grid (y: 7, x: 33);
field a : i32;
field b : i64;
field c : u8;
field d : i64;
field e : i32;
boundary a, b, c = periodic;
init a = 2147483600 + 7 * x - y;
init b = 9223372036854775000 + 31 * x + y;
init c = 250 + x;
init d = edge;
init e = -2147483647 - 1;
step {
    a[t+1] = a * 65539 + a[x-1] - a[y+1] * a[y+1];
    b[t+1] = b * 6364136223846793005 - b[x+1] * b[y-1] + k * k * x;
    c[t+1] = c * c[x-1] * 16843009 + 3 - c[y+1];
    d[t+1] = abs(-d) + x * 0;
    e[t+1] = -abs(e);
}
steps 5;
output a to "a.npy";
output b to "b.npy";
output c to "c.npy";
output d to "d.npy";
output e to "e.npy";
"""


def wanted():
    """In Python's own integers, folded into the types in the end."""
    x, y = np.arange(33, dtype=object)[None, :], np.arange(7, dtype=object)[:, None]

    def fold(values, bits):
        half = 1 << (bits - 1)
        return (values + half) % (1 << bits) - half

    a, b, c = fold(2147483600 + 7 * x - y, 32), fold(9223372036854775000 + 31 * x + y, 64), (250 + x + 0 * y) % 256
    for _ in range(STEPS):
        def west(f):
            return np.roll(f, 1, 1)

        def east(f):
            return np.roll(f, -1, 1)

        def north(f):
            return np.roll(f, 1, 0)

        def south(f):
            return np.roll(f, -1, 0)
        a, b, c = (fold(a * 65539 + west(a) - south(a) * south(a), 32),
                   fold(b * 6364136223846793005 - east(b) * north(b) + 3037000500 ** 2 * x, 64),
                   (c * west(c) * 16843009 + 3 - south(c)) % 256)
    shape = np.zeros((7, 33), object)
    return {"a": a.astype(np.int32), "b": b.astype(np.int64), "c": c.astype(np.uint8),
            "d": (shape - 2 ** 63).astype(np.int64), "e": (shape - 2 ** 31).astype(np.int32)}


class Integers(unittest.TestCase):
    def choices(self):
        for compiler in compilers.found():
            yield from ((compiler, (level,)) for level in ("-O0", "-O2", "-O3"))
            if compilers.works(compiler, *compilers.SANITIZERS):
                yield compiler, ("-O1", *compilers.SANITIZERS)

    def test_they_wrap_around_under_every_compiler(self):
        if compilers.sanitized():
            self.skipTest("the runtime is sanitized: only its own compiler links with it")
        want, tried = wanted(), 0
        for choice in self.choices():
            with self.subTest(choice), programs.Program(OVERFLOWS, "--cc", compilers.wrapper_for(choice)) as program:
                program.run(*programs.SWEEP)
                for name, right in want.items():
                    self.assertIsNone(programs.difference(program.load(f"{name}.npy"), right, name))
                tried += 1
        self.assertGreaterEqual(tried, 3)

    def test_they_wrap_around_with_the_usual_flags(self):
        with programs.Program(OVERFLOWS) as program:
            program.run(*programs.SWEEP)
            for name, right in wanted().items():
                self.assertIsNone(programs.difference(program.load(f"{name}.npy"), right, name))

    def test_operators_stay_where_nothing_can_overflow(self):
        plain = "stencil s; grid (x: 9); field c : u8; step { c[t+1] = c + 3 * x % 7 + (c + 1) * 1000; } steps 1;"
        for source, functions in ((plain, 0), (plain.replace("* 1000", "* 100000000"), 2)):
            with programs.Program(source) as program:
                c = programs.call([programs.compiler(), program.source, "--emit=c"], program.folder).stdout
                self.assertEqual(sum(c.count(f"oocc_{f}_i32(") for f in ("plus", "times")), functions)

    def test_what_is_computed_once_is_checked(self):
        for source in ("let m = k * k; grid (x: 9); field u : f64; step { u[t+1] = u + m; }",
                       "grid (x: 9); field u : f64; step { u[t+1] = 2*u where x < k * k; }",
                       "grid (x: 9); field u : f64; step { u[t+1] = u; } monitor m = sum(u) every k * k;"):
            with programs.Program(f"stencil s; param k : int = 4; {source} steps 1;") as program:
                program.run(*programs.SWEEP)
                said = program.run(*programs.SWEEP, "-D", "k=3037000500", status=65).stderr
                self.assertIn("does not fit a 64-bit integer", said)

    def test_one_thread_says_what_all_come_by(self):
        source = """stencil s; grid (y: 400, x: 9); field a : i64; step { a[t+1] = 5 / (a + y % 3); } steps 1; output a to "a.npy";"""
        with programs.Program(source) as program:
            for _ in range(20):
                said = program.run("--schedule", "resident", "--engine", "memory", "--threads", "4", status=65).stderr
                self.assertEqual((said.count("error:"), said.count("the update of a divides by zero")), (1, 1), said)

    def test_the_least_divided_by_minus_one(self):
        source = """stencil s; param k : int = -1; grid (x: 9); field a : i64; field b : i32; init a = -9223372036854775807 - 1;
                    init b = -2147483647 - 1; step { a[t+1] = a OP k; b[t+1] = b OP k; } steps 1; output a to "a.npy"; output b to "b.npy";"""
        with programs.Program(source.replace("OP", "%")) as program:
            program.run(*programs.SWEEP)
            self.assertEqual({*program.load("a.npy"), *program.load("b.npy")}, {0})
        with programs.Program(source.replace("OP", "/")) as program:
            program.run(*programs.SWEEP, status=65)


if __name__ == "__main__":
    unittest.main()
