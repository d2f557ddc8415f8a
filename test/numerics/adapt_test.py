"""Tiles that change while a run goes on: the same bits whatever is taken when, given tiles stay, and what became of it is told."""
import itertools
import unittest

from programs import SWEEP, Program

# Reads that are uneven along y, two stages in one step, a reduction and records; y periodic, or mirrored.
TEXT = """
stencil adapts;
param n : int = 96;
grid (z: 40, y: n, x: 24);
field u : f64;
field v : f32;
init u = (z * 3 + y * y * 7 % 11 + x % 5) * 0.125;
init v = (z + y % 13) * 0.25;
boundary u { z: dirichlet 1.0; y: EDGE; x: reflect; }
boundary v { z: dirichlet 0.25; y: EDGE; x: dirichlet 0.25; }
step {
    u[t+1] = u + 0.1 * (u[z-1] + u[z+1] + u[y-1] + u[y+2] + u[x-1] + u[x+1] - 6*u) + 0.01 * v[y-3];
    v[t+1] = 0.5 * v + 0.25 * v[y+1] + 0.125 * (u[t+1, y-1] - v[z+1]);
}
inject u at (7, 64, 3) += 0.5;
record u at (3, 63, 9) to "trace.npy";
steps 23;
output u to "u.npy";
output v to "v.npy";
"""
# Tiles cut x itself here, and a ring of them copies ghost cells at its seam.
PLANE = """
stencil flat;
grid (y: 60, x: 210);
field u : f64;
init u = (y * 3 + x * x * 7 % 11) * 0.125;
boundary u { y: EDGE; x: periodic; }
step { u[t+1] = u + 0.1 * (u[y-1] + u[y+1] + u[x-1] + u[x+2] - 4*u); }
steps 17;
output u to "u.npy";
"""
WATCHED = """
stencil watched;
grid (z: 30, y: 70, x: 20);
field u : f64;
init u = (z * 3 + y * y * 7 % 11 + x % 5) * 0.125;
boundary u { z: fixed; y: fixed; x: fixed; }
monitor total = sum(u);
step { u[t+1] = u + 0.1 * (u[z-1] + u[z+1] + u[y-1] + u[y+1] + u[x-1] + u[x+1] - 6*u); }
stop when total < 269800;
steps 40;
output u to "u.npy";
output u to "u-{t}.npy" every 7;
"""
WAYS = [
    "--schedule resident --engine memory --threads 4",
    "--schedule resident --engine mmap --threads 2",
    "--schedule stream --engine memory --bt 7 --bz 3 --threads 3",
    "--schedule stream --engine mmap --bt 5 --bz 2 --threads 1",
    "--schedule stream --engine aio --bt 9 --bz 1 --threads 4",
    "--schedule overlap --engine mmap --bt 6 --bz 5 --threads 2",
]


class Random(unittest.TestCase):
    def check(self, text, ways):
        with Program(text) as program:
            want = self.result(program, *SWEEP)
            for way, seed in itertools.product(ways, range(1, 6)):
                with self.subTest(way=way, seed=seed):
                    got = self.result(program, *way.split(), "--adapt", f"random:{seed}")
                    self.assertEqual(got[0].keys(), want[0].keys())
                    for name in want[0]:
                        self.assertEqual(got[0][name], want[0][name], name)
                    self.assertEqual(got[1], want[1])

    def result(self, program, *args):
        for path in program.folder.glob("*.npy"):
            path.unlink()
        done = program.run(*args)
        lines = [line for line in done.stdout.splitlines() if line.startswith("t=")]
        return {p.name: p.read_bytes() for p in program.folder.glob("*.npy")}, lines

    def test_tiles_of_every_slab(self):
        self.check(TEXT.replace("EDGE", "neumann"), WAYS + ["--schedule stream --engine mmap --bt 4 --bz 3 --columns 2"])

    def test_a_ring_of_tiles(self):
        self.check(TEXT.replace("EDGE", "periodic"), WAYS)

    def test_tiles_of_a_plane(self):
        for edge in ("neumann", "periodic"):
            self.check(PLANE.replace("EDGE", edge), WAYS)

    def test_what_is_watched_on_the_way(self):
        self.check(WATCHED, WAYS)


class Given(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = Program(TEXT.replace("EDGE", "neumann"))

    @classmethod
    def tearDownClass(cls):
        cls.program.__exit__()

    def adapted(self, *args):
        return self.program.report(*args, "--engine", "memory")["measured"]["adapt"]

    def test_tiles_that_are_given_stay(self):
        for knobs in (["--ct", "2"], ["--yt", "40"], ["--schedule", "sweep"], ["--adapt", "off"]):
            for mode in ([], ["--adapt", "random:3"]):
                if knobs[0] != "--adapt":
                    self.assertIsNone(self.adapted(*knobs, *mode), f"{knobs} {mode}")
        self.assertIsNone(self.adapted("--adapt", "off"))
        self.assertIsNotNone(self.adapted("--adapt", "on"))
        self.assertIsNotNone(self.adapted())

    def test_what_is_tried_is_counted(self):
        found = self.adapted("--schedule", "stream", "--bt", "4", "--bz", "2", "--adapt", "random:3")
        self.assertGreater(found["tried"], 60)

    def test_passes_in_place_are_cut_at_random(self):
        measured = self.program.report("--engine", "memory", "--adapt", "random:2")["measured"]
        self.assertGreater(measured["passes"], 1)
        self.assertGreater(measured["adapt"]["tried"], measured["passes"], "into slabs")
        given = self.program.report("--engine", "memory", "--adapt", "random:2", "--bt", "23")["measured"]
        self.assertEqual((given["passes"], given["adapt"]["tried"]), (1, 1))

    def test_a_word_that_is_none_is_refused(self):
        for word in ("sometimes", "random", "random:", "random:x", "random:-1"):
            done = self.program.run("--adapt", word, status=2)
            self.assertIn(f"--adapt: there is no '{word}'", done.stderr)
            self.assertIn("one of on, off, random:SEED", done.stderr)


if __name__ == "__main__":
    unittest.main()
