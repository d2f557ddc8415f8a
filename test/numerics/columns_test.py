"""Grids that are streamed in columns: the same bits and the bytes that were promised, also when a run goes on with other
columns, and damage that is found and named; programs and grids that cannot be cut are told so."""
import json
import shutil
import unittest

import programs
from programs import SWEEP, Program

# Rows of f64 and f32 that are read far and unevenly to both sides, a coefficient, points that inject, and mirrored faces.
TEXT = """
stencil cut;
param n : int = 200;
grid (z: 14, y: n, x: 20);
field u : f64;
field v : f32;
coef c : f32 = 0.1 + 0.001 * (y % 7);
init u = (z * 3 + y * y * 7 % 11 + x % 5) * 0.125;
init v = (z + y % 13) * 0.25;
boundary u { z: dirichlet 1.0; y: neumann; x: reflect; }
boundary v { z: periodic; y: dirichlet 0.5; x: dirichlet 0.25; }
step {
    u[t+1] = u + c * (u[z-1] + u[z+1] + u[y-1] + u[y+2] + u[x-1] + u[x+1] - 6*u) + 0.01 * (v[y-3] - v[t-1]);
    v[t+1] = 0.5 * v + 0.25 * v[t-1, y+1] + 0.125 * (u[t+1, y-1] - v[z+1]);
}
inject u at (7, 64, 3) += 0.5;
inject v at (3, 63.5, 9) += 0.25;
steps 23;
output u to "u.npy";
output v to "v.npy";
"""
LAYERS = """
stencil layers;
grid (w: 5, z: 140, y: 6, x: 9);
field u : f64;
init u = (w + z % 9 + y * x) * 0.125;
boundary u { w: fixed; z: reflect_center; y: fixed; x: fixed; }
step { u[t+1] = 0.25 * u + 0.125 * (u[w-1] + u[w+1] + u[z-2] + u[z+1] + u[y+1] + u[x-1]); }
steps 7;
output u to "u.npy";
"""


class Columns(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.program = Program(TEXT)
        cls.want = cls.result(*SWEEP)

    @classmethod
    def tearDownClass(cls):
        cls.program.__exit__()

    def setUp(self):
        shutil.rmtree(self.program.folder / "cut.scratch", ignore_errors=True)

    @classmethod
    def result(cls, *args):
        cls.program.run(*args)
        return cls.program.load("u.npy"), cls.program.load("v.npy")

    def check(self, *args):
        for name, got, want in zip(("u", "v"), self.result(*args), self.want):
            self.assertIsNone(programs.difference(got, want), f"{name} with {args}")

    def test_give_the_bits_of_the_sweep(self):
        for columns in (2, 3, 4):
            for way in (["--engine", "mmap", "--bt", 5, "--bz", 3, "--ct", 2, "--threads", 2],
                        ["--engine", "aio", "--bt", 9, "--yt", 40, "--threads", 3],
                        ["--engine", "mmap", "--schedule", "sweep", "--threads", 1]):
                with self.subTest(columns=columns, way=way):
                    self.check("--columns", columns, *way)

    def test_can_be_compiled_in(self):
        with Program(TEXT, "--columns", 3, "--bt", 4) as program:
            plan = program.report("--schedule", "stream", "--engine", "mmap")["plan"]
            self.assertEqual((plan["columns"], plan["bt"]), (3, 4))
            self.assertIsNone(programs.difference(program.load("u.npy"), self.want[0]))
            program.run()  # in memory, where there is nothing to cut

    def test_of_four_dimensions_are_cut_out_of_layers(self):
        with Program(LAYERS) as program:
            program.run(*SWEEP)
            want = program.load("u.npy")
            plan = program.report("--columns", 2, "--engine", "mmap", "--bt", 3)["plan"]
            self.assertEqual(plan["columns"], 2)
            self.assertIsNone(programs.difference(program.load("u.npy"), want))

    def test_read_and_write_the_bytes_that_were_predicted(self):
        for way in (["--columns", 2, "--bt", 5], ["--columns", 3, "--bt", 7], ["--columns", 4, "--schedule", "sweep"],
                    ["--columns", 4, "--bt", 12]):
            with self.subTest(way):
                report = self.program.report(*way, "--bz", 2, "--engine", "mmap", "--column-sides", "halo")
                plan, measured = report["plan"], report["measured"]
                self.assertEqual((plan["read_bytes"], plan["write_bytes"]),
                                 (measured["read_bytes"], measured["write_bytes"]))
                one = self.program.report("--columns", 1, *way[2:], "--bz", 2, "--engine", "mmap", "--schedule",
                                          "sweep" if "sweep" in way else "stream")["plan"]
                self.assertGreater(plan["read_bytes"], one["read_bytes"])
                self.assertEqual(plan["write_bytes"], one["write_bytes"])
                self.assertLess(plan["window_bytes"], one["window_bytes"])

    def test_can_change_when_a_run_is_resumed(self):
        legs = [(6, 3, 3), (11, 1, 2), (17, 4, 4), (23, 2, 5)]     # level, columns, bt
        for level, columns, bt in legs:
            way = ["--schedule", "stream", "--engine", "mmap", "--columns", columns, "--bt", bt, "--steps", level]
            self.program.run(*way, *(["--keep"] if level < 23 else []), *(["--resume"] if level > 6 else []))
        for name, want in zip(("u.npy", "v.npy"), self.want):
            self.assertIsNone(programs.difference(self.program.load(name), want), name)

    def test_leave_the_same_files_as_one_column(self):
        kept = []
        for columns in (1, 3):
            self.setUp()
            self.program.run("--schedule", "stream", "--engine", "mmap", "--columns", columns, "--bt", 5, "--commit-every", 0, "--keep")
            kept.append([(self.program.folder / "cut.scratch" / name).read_bytes() for name in ("gen0", "gen1", "manifest")])
        sums = [[line for line in files[2].splitlines() if line.split()[0] not in (b"store", b"xxh3")] for files in kept]
        self.assertEqual(sums[0], sums[1], "the manifest with all checksums, but for the store's own name")
        whole = kept[0][2].split(b"generation ")[1][:1] == b"1"
        self.assertEqual(kept[0][whole], kept[1][whole], "the generation that is whole, padding included")

    def test_name_the_rows_that_are_damaged(self):
        way = ["--schedule", "stream", "--engine", "mmap", "--columns", 3, "--bt", 3]
        self.program.run(*way, "--steps", 6, "--keep")
        scratch = self.program.folder / "cut.scratch"
        manifest = (scratch / "manifest").read_text()
        plane, row = 9, 130
        words = next(line.split() for line in manifest.splitlines() if line.startswith("field 0 u "))
        plane_bytes = int(words[words.index("plane_bytes") + 1])
        row_bytes = 8 * int(words[words.index("row_elements") + 1])
        band = int(manifest.split(" of ")[1].split()[0])
        path = scratch / f"gen{manifest.split('generation ')[1][0]}"
        data = bytearray(path.read_bytes())
        data[plane * plane_bytes + row * row_bytes + 8] ^= 4
        path.write_bytes(data)
        done = self.program.run(*way, "--steps", 9, "--resume", status=76)
        first = row // band * band
        self.assertIn(f"field u, rows {first} to {min(first + band, 200) - 1} of plane {plane}, level 6", done.stderr)

    def test_that_are_too_many_are_refused_with_the_most(self):
        done = self.program.run("--columns", 100, status=2)
        self.assertRegex(done.stderr, r"columns is at most \d+ on this grid")

    def test_are_refused_where_planes_are_not_streamed(self):
        for way in (["--schedule", "resident"], ["--engine", "memory", "--schedule", "sweep"]):
            done = self.program.run("--columns", 2, *way, status=2)
            self.assertIn("columns are for planes that are streamed", done.stderr)
        self.program.run("--columns", 1, "--schedule", "resident")

    def test_are_refused_where_the_program_cannot_be_cut(self):
        ring = TEXT.replace("y: dirichlet 0.5", "y: periodic")
        watched = TEXT.replace("steps 23;", "monitor most = max(u[t+1]);\nsteps 23;")
        waits = TEXT.replace("step {", "scalar peak = max(u);\nstep {").replace("+ c * (", "+ peak * c * (")
        rows = "stencil two;\ngrid (y: 90, x: 90);\nfield u : f64;\nboundary u = fixed;\nstep { u[t+1] = u[y-1]; }\nsteps 2;\n"
        for text, reason in ((ring, "y is periodic"), (watched, "'most' looks at every cell once"),
                             (waits, "'peak' is used by the step"), (rows, "the planes of a 2-D grid are rows")):
            with self.subTest(reason), Program(text) as program:
                self.assertIn(reason, program.run("--columns", 2, "--column-sides", "halo", status=2).stderr)

    def test_find_the_first_cell_that_is_not_a_number(self):
        # Two cells overflow in the same step: the one in a later column lies in an earlier plane.
        text = """
stencil burst;
grid (z: 20, y: 200, x: 20);
field u : f64;
init u = if (z == 5 and y == 180 and x == 3) or (z == 12 and y == 10 and x == 4) then 1.0e150 else 1;
boundary u = neumann;
step { u[t+1] = u * u * 0.999 + 0 * u[y+1]; }
steps 9;
output u to "u.npy";
"""
        with Program(text) as program:
            for way in ([], ["--columns", 3, "--bt", 4], ["--columns", 2, "--bt", 1]):
                with self.subTest(way):
                    done = program.run("--schedule", "stream", "--engine", "mmap", *way, "--restart", status=65)
                    self.assertIn("field u is inf at t=2, cell (z 5, y 180, x 3)", done.stderr)

    def test_are_chosen_when_memory_is_short_and_predicted_in_the_plan(self):
        with Program(programs.ROOT / "examples/heat3d/heat3d.stn") as program:
            way = ["-D", "n=1024", "--steps", 200, "--schedule", "stream", "--engine", "mmap", "--threads", 4, "--plan"]
            small = json.loads(program.run(*way, "--memory", "256M", "--json").stdout)["plan"]
            large = json.loads(program.run(*way, "--memory", "6G", "--json").stdout)["plan"]
            self.assertGreater(small["columns"], 1)
            self.assertEqual(large["columns"], 1)
            one = json.loads(program.run(*way, "--memory", "256M", "--json", "--columns", 1).stdout)["plan"]
            self.assertGreater(small["bt"], one["bt"])
            self.assertLess(small["predicted"]["seconds"], one["predicted"]["seconds"])
            self.assertLessEqual(small["fixed_bytes"] + small["window_bytes"], 256 << 20)
            text = program.run(*way, "--memory", "256M", "--column-sides", "lean").stdout
            self.assertRegex(text, r"\d+ columns of rows that lean: strips of [\d.]+ MiB are left to the next one with every slab")
            text = program.run(*way, "--memory", "256M", "--column-sides", "halo").stdout
            self.assertRegex(text, r"\d+ columns of rows with halos of \d+ rows in all: [\d.]+% more is read, [\d.]+% computed")
