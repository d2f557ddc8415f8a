"""What a run promises besides its numbers: parameters, budgets, plans, resuming, and exit statuses."""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import numpy as np

import compilers
import programs
from programs import SWEEP, Failure, Program, call, compiler

HEAT = programs.ROOT / "examples/heat3d/heat3d.stn"
STREAM = ["--schedule", "stream", "--engine", "aio", "--bt", "3", "--bz", "2", "--threads", "2"]


class Shared(unittest.TestCase):
    """One compiled heat3d for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.program = Program(HEAT)

    @classmethod
    def tearDownClass(cls):
        cls.program.__exit__()

    def result(self, *args):
        self.program.run(*args)
        return self.program.load("heat3d.npy")


class Parameters(Shared):
    def test_given_when_running(self):
        self.assertEqual(self.result("-D", "n=20", "--steps", 2).shape, (20, 20, 20))

    def test_given_when_compiling_gives_the_same_bits(self):
        want = self.result(*SWEEP, "-D", "n=24", "-D", "alpha=0.125", "--steps", 9)
        with Program(HEAT, "-D", "n=24", "-D", "alpha=0.125") as fixed:
            fixed.run(*STREAM, "--steps", 9)
            self.assertIsNone(programs.difference(fixed.load("heat3d.npy"), want))

    def test_compiled_in_may_not_change(self):
        with Program(HEAT, "-D", "n=24") as fixed:
            done = fixed.run("-D", "n=25", status=2)
            self.assertIn("n", done.stderr)

    def test_unknown_is_a_usage_error(self):
        done = self.program.run("-D", "nn=20", status=2)
        self.assertIn("nn", done.stderr)

    def test_not_a_number_is_a_usage_error(self):
        self.program.run("-D", "n=many", status=2)

    def test_overflow_is_refused(self):
        done = self.program.run("-D", f"n={2 ** 40}", status=None)
        self.assertIn(done.returncode, (2, 65, 71, 73))
        self.assertIn("error", done.stderr)


class Resuming(Shared):
    SIZE = ["-D", "n=40"]

    def setUp(self):
        shutil.rmtree(self.program.folder / "heat3d.scratch", ignore_errors=True)
        self.want = self.result(*SWEEP, *self.SIZE, "--steps", 20)

    def check(self):
        self.assertIsNone(programs.difference(self.program.load("heat3d.npy"), self.want))

    def test_in_two_legs(self):
        for engine in ("aio", "mmap"):
            with self.subTest(engine):
                way = ["--schedule", "stream", "--engine", engine, "--bt", 3, *self.SIZE]
                self.program.run(*way, "--steps", 10, "--keep")
                self.program.run(*way, "--steps", 20, "--resume")
                self.check()

    def test_with_another_plan(self):
        self.program.run("--schedule", "stream", "--engine", "mmap", "--bt", 2, *self.SIZE, "--steps", 8, "--keep")
        self.program.run("--schedule", "stream", "--engine", "aio", "--bt", 5, "--threads", 3, *self.SIZE,
                         "--steps", 20, "--resume")
        self.check()

    def test_to_the_steps_it_has_made_is_told_how_to_go_on(self):
        self.program.run(*STREAM, *self.SIZE, "--steps", 8, "--keep")
        done = self.program.run(*STREAM, *self.SIZE, "--resume", "--keep")
        self.assertIn("note: all 8 steps of the run in heat3d.scratch are made; --steps N goes on to more", done.stderr)
        further = self.program.run(*STREAM, *self.SIZE, "--steps", 20, "--resume")
        self.assertNotIn("are made", further.stderr)
        self.check()

    def test_another_program_is_refused(self):
        self.program.run(*STREAM, *self.SIZE, "--steps", 8, "--keep")
        try:
            text = HEAT.read_text().replace("- 6*u", "- 6.5*u")
            with Program(text) as other:
                done = other.run(*STREAM, *self.SIZE, "--scratch", self.program.folder / "heat3d.scratch", "--resume",
                                 status=None)
                self.assertIn(done.returncode, (65, 76))
        finally:
            self.program.run(*STREAM, *self.SIZE, "--steps", 20, "--resume")
        self.check()

    def interrupted(self, number, status):
        """Stops a long run once it has committed something; resumes it to the steps of the reference."""
        big = ["-D", "n=120", "--schedule", "stream", "--engine", "mmap", "--bt", "2", "--commit-every", "0"]
        want = self.result(*SWEEP, "-D", "n=120", "--steps", 60)
        running = subprocess.Popen([self.program.exe, *big, "--steps", "60", "--progress", "off"],
                                   cwd=self.program.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            scratch = self.program.folder / "heat3d.scratch"
            deadline = time.monotonic() + 30
            while not (scratch / "manifest").exists() and running.poll() is None:
                self.assertLess(time.monotonic(), deadline, "nothing committed in 30 s")
                time.sleep(0.002)
            running.send_signal(number)
            ended = running.wait(60)
        finally:
            running.kill()
        if ended == 0:
            self.skipTest("the run was done before it could be stopped")
        self.assertEqual(ended, status)
        self.program.run(*big, "--steps", 60, "--resume")
        self.assertIsNone(programs.difference(self.program.load("heat3d.npy"), want))

    def test_after_sigint(self):
        self.interrupted(signal.SIGINT, 75)

    def test_after_sigkill(self):
        self.interrupted(signal.SIGKILL, -signal.SIGKILL)


class Layouts(unittest.TestCase):
    """With cell 1 on a cache line, rows of 4096 bytes and planes of 65536: both are padded, unless --layout dense."""

    PROGRAM = """stencil long_rows;
grid (z: 12, y: 16, x: 505);
field u : f64;
init u = (z * 7 + y * 3 + x) % 11;
boundary u { z: fixed; y: periodic; x: fixed; }
step { u[t+1] = u + 0.1 * (u[x-1] + u[x+1] + u[y-1] + u[y+1] + u[z-1] + u[z+1] - 6*u); }
steps 9;
output u to "u.npy";
"""

    @classmethod
    def setUpClass(cls):
        cls.program = Program(cls.PROGRAM)

    @classmethod
    def tearDownClass(cls):
        cls.program.__exit__()

    def test_give_the_same_bits(self):
        want = self.program.report(*SWEEP)
        for way in programs.WAYS:
            with self.subTest(way):
                got = self.program.report(*way, "--layout", "dense")
                self.assertEqual(got["measured"]["result_hash"], want["measured"]["result_hash"])
                self.assertEqual(got["plan"]["layout"], "dense")
                self.assertLess(got["fields"][0]["plane_bytes"], want["fields"][0]["plane_bytes"])
        self.assertEqual(want["plan"]["layout"], "padded")

    def test_that_differ_are_not_resumed(self):
        way = ["--schedule", "stream", "--engine", "mmap", "--bt", 2]
        want = self.program.report(*SWEEP)["measured"]["result_hash"]
        self.program.run(*way, "--layout", "dense", "--steps", 4, "--keep")
        self.assertIn("--layout", self.program.run(*way, "--resume", status=65).stderr)
        got = self.program.report(*way, "--layout", "dense", "--resume", "--steps", 9)
        self.assertEqual(got["measured"]["result_hash"], want)

    def test_that_store_planes_alike_are_resumed(self):
        with Program(self.PROGRAM.replace("x: 505", "x: 40")) as program:
            way = ["--schedule", "stream", "--engine", "mmap", "--bt", 2]
            want = program.report(*SWEEP)["measured"]["result_hash"]
            program.run(*way, "--layout", "dense", "--steps", 4, "--keep")
            self.assertEqual(program.report(*way, "--resume", "--steps", 9)["measured"]["result_hash"], want)


class Plans(Shared):
    WAY = ["-D", "n=96", "--schedule", "stream", "--engine", "aio", "--memory", compilers.budget(40), "--steps", "20"]

    OVERLAP = ["-D", "n=96", "--schedule", "overlap", "--engine", "aio", "--memory", compilers.budget(20), "--steps", "20"]

    def test_plan_predicts_the_counted_bytes(self):
        for way in (self.WAY, self.OVERLAP, [*self.OVERLAP, "--bt", "6", "--bz", "9"],
                    [*self.OVERLAP, "--bt", "3", "--bz", "9", "--columns", "2"]):
            with self.subTest(way):
                plan = json.loads(self.program.run(*way, "--plan", "--json").stdout)
                report = self.program.report(*way)
                predicted, counted = byte_counts(plan.get("plan", plan)), byte_counts(report["measured"])
                self.assertEqual(predicted, counted)
                self.assertGreater(counted[0], 0)

    def test_blocks_that_overlap_are_read_with_their_halos(self):
        plan = json.loads(self.program.run(*self.OVERLAP, "--bt", "6", "--bz", "30", "--memory", "1G",
                                           "--plan", "--json").stdout)
        found = plan["plan"]
        self.assertEqual((found["blocks"], found["halo_lo_planes"], found["halo_hi_planes"]), (4, 6, 6))
        plane, passes = plan["fields"][0]["plane_bytes"], (6, 6, 6, 2)
        # Three faces between blocks, with a halo of a plane per step on either side.
        self.assertEqual(found["read_bytes"], sum(96 + 3 * 2 * bt for bt in passes) * plane)
        self.assertEqual(found["write_bytes"], len(passes) * 96 * plane)

    @unittest.skipIf(compilers.shadowed(), "ThreadSanitizer's memory grows with the run's")
    def test_budget_is_kept(self):
        for n, memory, budget in ((160, "32M", 32 << 20), (200, "64M", 64 << 20)):
            with self.subTest(memory):
                for schedule in ("stream", "overlap"):
                    report = self.program.report("-D", f"n={n}", "--memory", memory, "--steps", "6", "--schedule", schedule,
                                                 env=compilers.counted())
                    self.assertLessEqual(report["measured"]["peak_bytes"], budget + compilers.kept())

    @unittest.skipIf(compilers.shadowed(), "ThreadSanitizer's memory grows with the run's")
    def test_probing_keeps_the_budget(self):
        # Trials of many shapes, one after the other, in the same memory.
        for n in (200, 256):
            with self.subTest(n=n):
                report = self.program.report("-D", f"n={n}", "--memory", "64M", "--steps", "6", "--schedule", "stream", "--probe", "now",
                                             env=compilers.counted())
                self.assertLessEqual(report["measured"]["peak_bytes"], (64 << 20) + compilers.kept())

    def test_probing_times_tiles_of_several_widths(self):
        # Of planes this small the caches hold all that are at work, and a tile for every thread would do.
        with tempfile.TemporaryDirectory() as kept:
            done = self.program.run("-D", "n=96", "--steps", "64", "--schedule", "stream", "--threads", "2", "--plan", "--probe", "now",
                                    env={**os.environ, "OOCC_CACHE": kept})
            loops = [json.loads(file.read_text()) for file in Path(kept).glob("kernel-*.json")]
        if not loops:
            self.assertRegex(done.stderr, "the machine is busy")
            self.skipTest("the machine is too busy for measurements that can be kept")
        self.assertGreaterEqual(len({point["rows"] for point in loops[0]["figures"]["points"]}), 4)

    def test_budget_too_small_is_refused_with_numbers(self):
        done = self.program.run("-D", "n=300", "--memory", "2M", status=71)
        self.assertRegex(done.stderr, r"\d")

    def test_same_hash_whatever_the_schedule(self):
        hashes = {self.program.report("-D", "n=40", "--steps", "7", *way)["measured"]["result_hash"]
                  for way in programs.WAYS}
        self.assertEqual(len(hashes), 1)


def byte_counts(figures):
    return figures["read_bytes"], figures["write_bytes"]


class Statuses(Shared):
    def test_unknown_option(self):
        self.program.run("--fastest", status=2)

    def test_file_too_short(self):
        with Program(FROM_FILE) as program:
            whole = program.folder / "whole.npy"
            np.save(whole, np.zeros((20, 30)))
            (program.folder / "u0.npy").write_bytes(whole.read_bytes()[:-8])
            self.assertIn("u0.npy", program.run(status=65).stderr)

    def test_file_of_another_shape(self):
        with Program(FROM_FILE) as program:
            np.save(program.folder / "u0.npy", np.zeros((30, 20)))
            done = program.run(status=65)
            self.assertIn("30", done.stderr)

    def test_file_of_another_type(self):
        with Program(FROM_FILE) as program:
            np.save(program.folder / "u0.npy", np.zeros((20, 30), np.float32))
            program.run(status=65)

    def test_file_missing(self):
        with Program(FROM_FILE) as program:
            self.assertIn("u0.npy", program.run(status=65).stderr)

    def test_no_space_on_the_scratch(self):
        with tempfile.TemporaryDirectory() as folder:
            mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", folder], capture_output=True)
            if mounted.returncode:
                self.skipTest("cannot mount a file system of 4 MiB here: " + mounted.stderr.decode().strip())
            try:
                done = self.program.run("-D", "n=100", "--schedule", "stream", "--engine", "mmap", "--steps", 4,
                                        "--scratch", Path(folder) / "scratch", status=73)
                self.assertIn("error", done.stderr)
            finally:
                subprocess.run(["umount", folder], check=True)

    def test_scratch_cannot_be_made(self):
        done = self.program.run("-D", "n=40", *STREAM, "--scratch", "/dev/null/scratch", status=None)
        self.assertIn(done.returncode, (73, 77))
        self.assertIn("/dev/null", done.stderr)

    def test_scratch_cannot_be_there(self):
        """Said before anything is planned for it, and not of an engine."""
        file = self.program.folder / "file"
        file.touch()
        for place, what in ((self.program.folder / "nowhere/scratch", "create"), (file / "scratch", "create"), (file, "open")):
            for how in ("--engine", "auto"), ("--engine", "mmap"), ("--memory", "2M"), ("--plan",):
                done = self.program.run("-D", "n=40", *STREAM, "--scratch", place, *how, status=73)
                self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
                self.assertIn(f"cannot {what} {place}: No", done.stderr)
                self.assertEqual(done.stdout, "")
        self.program.run("-D", "n=40", "--schedule", "stream", "--engine", "memory", "--scratch", file)

    def test_scratch_in_use(self):
        way = ["-D", "n=160", "--schedule", "stream", "--engine", "mmap", "--bt", "1", "--steps", "2000"]
        first = subprocess.Popen([self.program.exe, *way, "--progress", "off"], cwd=self.program.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + 30
            while not (self.program.folder / "heat3d.scratch").exists() and first.poll() is None:
                self.assertLess(time.monotonic(), deadline, "no scratch made in 30 s")
                time.sleep(0.01)
            time.sleep(0.5)
            self.assertIsNone(first.poll())
            self.program.run(*way, status=77)
        finally:
            first.kill()
            first.wait()
            self.program.run("-D", "n=20", "--schedule", "stream", "--engine", "mmap", "--steps", "1", "--restart")


class OneGo(unittest.TestCase):
    def test_oocc_run(self):
        with tempfile.TemporaryDirectory() as folder:
            call([compiler(), "run", HEAT, "--", "-D", "n=20", "--steps", "3", "--progress", "off"], folder)
            self.assertEqual(np.load(Path(folder) / "heat3d.npy").shape, (20, 20, 20))

    def test_raw_output_is_the_npy_without_its_header(self):
        text = HEAT.read_text() + 'output u to "heat3d.raw";\n'
        try:
            program = Program(text, "-D", "n=19")
        except Failure as failure:
            self.fail(str(failure))
        with program:
            program.run("--steps", 3)
            raw = np.fromfile(program.folder / "heat3d.raw").reshape(19, 19, 19)
            self.assertTrue((raw == program.load("heat3d.npy")).all())


KEEPS_INJECTED = """
stencil keeps;
grid (z: 40, y: 6, x: 8);
field u, v : f64;
init u = z + y + x;
boundary u = neumann;
boundary v = neumann;
step {
    u[t+1] = 7.0 + t where z < 3;
    v[t+1] = v + u[t+1,z+2] + u[t+1,z-2];
}
inject u at (20, 3, 3) += 1.0 + t;
steps 6;
output v to "v.npy";
"""


class Kept(unittest.TestCase):
    def test_what_an_update_leaves_out_keeps_what_was_injected_before(self):
        with Program(KEEPS_INJECTED) as program:
            program.run(*SWEEP)
            want = program.load("v.npy")
            for way in programs.WAYS[1:]:
                with self.subTest(way):
                    program.run(*way)
                    self.assertIsNone(programs.difference(program.load("v.npy"), want))


FROM_FILE = """
stencil from_file;
grid (y: 20, x: 30);
field u : f64;
init u from "u0.npy";
boundary u = fixed;
step { u[t+1] = u[x-1]; }
steps 1;
output u to "u.npy";
"""
