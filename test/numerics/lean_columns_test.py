"""Columns that lean: the same bits, the bytes that were promised, strips that nobody sees; runs that go on with other sides; and what
cannot lean is told so."""
import re
import shutil
import unittest

import compilers
import programs
from columns_test import LAYERS, TEXT
from programs import SWEEP, Program

LEAN = ["--column-sides", "lean", "--schedule", "stream"]


class LeanColumns(unittest.TestCase):
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
        for columns in (2, 3, 6):
            for way in (["--engine", "mmap", "--bt", 5, "--bz", 3, "--ct", 2, "--threads", 2],
                        ["--engine", "aio", "--bt", 9, "--bz", 1, "--yt", 40, "--threads", 3, "--io-request", "4K"],
                        ["--engine", "threads", "--bt", 14, "--threads", 4, "--chains", 2, "--scratch", "one,two"],
                        ["--engine", "mmap", "--bt", 1, "--threads", 1, "--adapt", "random:3"]):
                with self.subTest(columns=columns, way=way):
                    self.check(*LEAN, "--columns", columns, *way)
        self.check("--column-sides", "lean", "--columns", 3, "--schedule", "sweep", "--engine", "mmap")

    def test_of_four_dimensions_lean_in_layers(self):
        with Program(LAYERS) as program:
            program.run(*SWEEP)
            want = program.load("u.npy")
            for bt in (1, 3, 7):
                plan = program.report(*LEAN, "--columns", 2, "--engine", "mmap", "--bt", bt)["plan"]
                self.assertEqual((plan["columns"], plan["column_sides"]), (2, "lean"))
                self.assertIsNone(programs.difference(program.load("u.npy"), want))

    def test_read_and_write_the_bytes_that_were_predicted(self):
        for columns, bt, bz in ((2, 5, 2), (3, 7, 3), (4, 12, 1), (2, 14, 40)):
            with self.subTest(columns=columns, bt=bt, bz=bz):
                ways = [["--columns", columns, "--column-sides", sides, "--schedule", "stream", "--engine", "mmap", "--bt", bt, "--bz", bz]
                        for sides in ("lean", "halo")]
                lean, halo = (self.program.report(*way) for way in ways)
                plan, measured = lean["plan"], lean["measured"]
                self.assertEqual(plan["column_sides"], "lean")
                self.assertEqual((plan["read_bytes"], plan["write_bytes"]), (measured["read_bytes"], measured["write_bytes"]))
                self.assertGreater(plan["strip_bytes"], 0)
                self.assertGreater(plan["write_bytes"], halo["plan"]["write_bytes"])
                self.assertEqual(halo["plan"]["strip_bytes"], 0)

    def test_can_change_when_a_run_is_resumed(self):
        legs = [(6, 3, 3, "lean"), (11, 2, 2, "halo"), (17, 4, 4, "lean"), (20, 1, 2, "auto"), (23, 2, 5, "lean")]
        for level, columns, bt, sides in legs:
            way = ["--schedule", "stream", "--engine", "mmap", "--columns", columns, "--bt", bt, "--steps", level, "--column-sides", sides]
            self.program.run(*way, *(["--keep"] if level < 23 else []), *(["--resume"] if level > 6 else []))
        for name, want in zip(("u.npy", "v.npy"), self.want):
            self.assertIsNone(programs.difference(self.program.load(name), want), name)

    def test_leave_the_same_files_as_one_column(self):
        kept = []
        scratch = self.program.folder / "cut.scratch"
        for columns in (1, 3):
            self.setUp()
            self.program.run(*LEAN, "--engine", "mmap", "--columns", columns, "--bt", 5, "--commit-every", 0, "--keep")
            self.assertFalse((scratch / "strips").exists())
            kept.append([(scratch / name).read_bytes() for name in ("gen0", "gen1", "manifest")])
        sums = [[line for line in files[2].splitlines() if line.split()[0] not in (b"store", b"xxh3")] for files in kept]
        self.assertEqual(sums[0], sums[1], "the manifest with all checksums, but for the store's own name")
        whole = kept[0][2].split(b"generation ")[1][:1] == b"1"
        self.assertEqual(kept[0][whole], kept[1][whole], "the generation that is whole, padding included")

    def test_keep_to_the_budget(self):
        for memory in (compilers.budget(18), compilers.budget(20)):
            plan = self.program.report(*LEAN, "--columns", 3, "--engine", "mmap", "--memory", memory)["plan"]
            self.assertEqual(plan["column_sides"], "lean")
            self.assertLessEqual(plan["fixed_bytes"] + plan["window_bytes"], int(memory[:-1]) << 20)
            self.check(*LEAN, "--columns", 3, "--engine", "mmap", "--memory", memory)

    def test_that_cannot_lean_are_told_why(self):
        for way, reason in ((["--schedule", "overlap", "--engine", "mmap"], "blocks of schedule overlap have halos"),
                            (["--schedule", "stream", "--engine", "memory"], "the engine keeps none")):
            done = self.program.run("--columns", 2, "--column-sides", "lean", *way, status=2)
            self.assertIn("columns cannot lean: ", done.stderr)
            self.assertIn(reason, done.stderr)
            plan = self.program.report("--columns", 2, *way)["plan"]    # and have halos otherwise
            self.assertEqual(plan["column_sides"], "halo")
        done = self.program.run(*LEAN, "--columns", 50, status=2)
        self.assertRegex(done.stderr, r"columns is at most \d+ on this grid")
        self.assertIn("there is no 'left'", self.program.run("--column-sides", "left", status=2).stderr)

    def test_of_a_program_with_a_monitor_lean_of_themselves(self):
        text = TEXT.replace("steps 23;", """
monitor most = max(u[t+1]) every 2;
monitor middle = mean(v[t+1]);
stop when most > 900.0;
steps 23;""")
        with Program(text) as program:
            lines = program.run(*SWEEP).stdout
            want = program.load("u.npy")
            for sides in ("auto", "lean"):
                way = ["--schedule", "stream", "--engine", "mmap", "--columns", 3, "--bt", 5, "--threads", 3, "--column-sides", sides]
                self.assertEqual([line for line in program.run(*way).stdout.splitlines() if line.startswith("t=")],
                                 [line for line in lines.splitlines() if line.startswith("t=")])
                self.assertIsNone(programs.difference(program.load("u.npy"), want))
                self.assertEqual(program.report(*way)["plan"]["column_sides"], "lean")

    def test_that_would_lean_too_far_are_refused_with_the_most(self):
        with Program(LAYERS.replace("steps 7;", "steps 200;")) as program:
            done = program.run(*LEAN, "--columns", 2, "--engine", "mmap", "--bt", 150, status=2)
            most = int(re.search(r"bt is at most (\d+) on this grid", done.stderr)[1])
            program.run(*LEAN, "--columns", 2, "--engine", "mmap", "--bt", most + 1, status=2)
            program.run(*LEAN, "--columns", 2, "--engine", "mmap", "--bt", most)
            deep = program.load("u.npy")
            program.run("--columns", 2, "--schedule", "stream", "--engine", "mmap", "--bt", 150)    # with halos
            self.assertIsNone(programs.difference(program.load("u.npy"), deep))
            plan = program.report(*LEAN, "--columns", 2, "--engine", "mmap")["plan"]
            self.assertLessEqual(plan["bt"], most)
