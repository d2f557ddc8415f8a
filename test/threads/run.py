#!/usr/bin/env python3
"""Runs under ThreadSanitizer: the runtime, and what oocc emits, by every schedule on every engine with a few threads, with the
bits of a plain sweep and without a race. Then with races planted, which must be reported.

Clang's OpenMP is followed by Archer; the runtime is built for it, in a folder of the build, whatever this build is.

    OOCC=build/release/bin/oocc test/threads/run.py [--threads 4] [--rounds 10]
"""
import argparse
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "random")]

import planted_runtime
import suite
from programs import ROOT, call, compiler

PROGRAMS = ["shot", "wide", "plane", "line"]
ENGINES = ["uring", "aio", "threads", "mmap", "memory", "swap"]
SCHEDULES = [["stream", "--bt", "4", "--bz", "3", "--ct", "2"], ["overlap", "--bt", "3", "--bz", "5", "--ct", "2"], ["resident", "--ct", "3"], ["sweep"]]
# Beside these: what only some programs can do.
MORE = {
    "wide": [["--schedule", "stream", "--bt", "3", "--bz", "2", "--columns", "2", "--column-sides", "halo"],
             ["--schedule", "stream", "--bt", "3", "--bz", "2", "--columns", "3", "--column-sides", "lean"],
             ["--schedule", "sweep", "--columns", "3"]],
    "shot": [["--schedule", "stream", "--bt", "3", "--bz", "2", "--adapt", "random:5", "--io-request", "16K"],
             ["--schedule", "stream", "--bt", "5", "--bz", "1", "--chains", "5", "--io-depth", "3"],
             ["--schedule", "stream", "--bt", "4", "--bz", "2", "--ct", "2", "--barriers", "on"],
             ["--schedule", "overlap", "--tune", "--tune-seconds", "0.2", "--probe", "off"]],
}
# Bugs of test/random/planted_runtime.py that are races.
RACES = ["a chain waits for too few borders", "a border waits for one chain", "reads do not wait for writes",
         "checked before it has come in", "sealed while chains are at work", "sealed while borders are at work"]
TSAN = "ignore_noninstrumented_modules=1:halt_on_error=1:atexit_sleep_ms=0"


def clang():
    """(clang, None), or (None, what is missing)."""
    found = shutil.which("clang-19") or shutil.which("clang")
    if not found:
        return None, "no Clang"
    if not (Path(found).resolve().parent.parent / "lib/libarcher.so").exists():
        return None, "no Archer beside Clang's OpenMP (Debian: libomp-19-dev)"
    return found, None


CLANG, MISSING = clang()
FOLDER = None   # where everything is done
tried, raced = 0, 0


@functools.cache
def build():
    """A build of the runtime alone; beside the results it stays, and is made anew only as far as it must be."""
    results = os.environ.get("OOCC_RESULTS")
    folder = Path(results).parent / "threads" if results else FOLDER / "build"
    cmake = os.environ.get("OOCC_CMAKE", "cmake")
    call([cmake, "-S", ROOT, "-B", folder, f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'cmake/clang.cmake'}", "-DCMAKE_BUILD_TYPE=",
          "-DCMAKE_C_FLAGS=-O1 -g", "-DOOCC_SANITIZE=thread", "-DOOCC_COMPILER=OFF", "-DOOCC_TESTS=OFF"], ROOT)
    call([cmake, "--build", folder, "--target", "oocc_runtime", "--parallel", "2"], ROOT)
    return folder


def of_build(name):
    """A variable of the build."""
    for line in (build() / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return line.split("=", 1)[1].split()
    raise AssertionError(f"the build of the runtime has no {name}")


def compiled(source, name, *includes):
    call([CLANG, "-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-fopenmp", "-ffp-contract=off", "-fsanitize=thread", "-Wno-pass-failed",
          *(f"-I{place}" for place in includes), "-c", source, "-o", FOLDER / f"{name}.o"], FOLDER)
    return FOLDER / f"{name}.o"


@functools.cache
def emitted(name):
    """The object of a program."""
    call([compiler(), HERE / "programs" / f"{name}.stn", "-o", FOLDER / f"{name}.c"], FOLDER)
    return compiled(FOLDER / f"{name}.c", name, build() / "include")


@functools.cache
def linked(name, *instead):
    """A program; objects that stand in place of members of the runtime come before it."""
    exe = FOLDER / "-".join([name, *(Path(o).stem for o in instead)])
    archer = of_build("OOCC_ARCHER")[0]
    call([CLANG, "-fopenmp", "-fsanitize=thread", emitted(name), *instead, build() / "lib/liboocc_runtime.a", *of_build("OOCC_LINK_OPTIONS"),
          "-Wl,--no-as-needed", archer, f"-Wl,-rpath,{Path(archer).parent}", "-o", exe], FOLDER)
    return exe


def run(exe, *options):
    """(The hash of what a run leaves, or None; whether a race was reported; what it said.)"""
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        done = call([exe, "--progress", "off", *options], folder, None, env=dict(os.environ, TSAN_OPTIONS=TSAN, OMP_WAIT_POLICY="passive"))
        result = re.search(r"result\s+([0-9a-f]{16})", done.stdout) if done.returncode == 0 else None
        return (result and result.group(1), "ThreadSanitizer: data race" in done.stderr,
                f"status {done.returncode}: {options}\n{done.stderr[:4000]}")


def ways(name, everything):
    """Options; of the first program all schedules on all engines, of others every third of these."""
    for number, (engine, schedule) in enumerate((e, s) for e in ENGINES for s in SCHEDULES):
        if everything or name == PROGRAMS[0] or number % 3 == PROGRAMS.index(name) - 1:
            yield ["--engine", engine, "--schedule", *schedule]
    for engine, more in zip(["uring", "aio", "threads", "mmap"], MORE.get(name, [])):
        yield ["--engine", engine, *more]


@unittest.skipUnless(CLANG, MISSING)
class Races(unittest.TestCase):
    def program(self, name):
        global tried, raced
        exe = linked(name)
        want, race, said = run(exe, "--engine", "memory", "--schedule", "sweep", "--threads", 1)
        self.assertTrue(want, said)
        for turn in range(options.rounds):
            for number, way in enumerate(ways(name, options.rounds > 1)):
                with self.subTest(way):
                    got, race, said = run(exe, *way, "--threads", options.threads or 2 + (number + turn) % 3)
                    tried, raced = tried + 1, raced + race
                    self.assertFalse(race, said)
                    self.assertEqual(got, want, said)

    def test_points_sums_and_edges(self):
        self.program("shot")

    def test_columns(self):
        self.program("wide")

    def test_plane(self):
        self.program("plane")

    def test_line(self):
        self.program("line")


def forget_ended_runs():
    """A run that ThreadSanitizer ends leaves what Clang's OpenMP shares under its number."""
    for left in Path("/dev/shm").glob("__KMP_REGISTERED_LIB_*"):
        process, user = left.name.split("_")[-2:]
        if user == str(os.getuid()) and not Path("/proc", process).exists():
            left.unlink(missing_ok=True)


@unittest.skipUnless(CLANG, MISSING)
class Planted(unittest.TestCase):
    """A race that is there is found: in how threads share a slab's tiles, and in how transfers follow each other."""

    @classmethod
    def tearDownClass(cls):
        forget_ended_runs()

    def planted(self, name):
        _, path, old, new, *_ = next(bug for bug in planted_runtime.PLANTED if bug[0] == name)
        text = (ROOT / path).read_text()
        self.assertEqual(text.count(old), 1, f"{path} has changed: {old}")
        source = FOLDER / f"{name.replace(' ', '-')}.c"
        source.write_text(text.replace(old, new))
        return compiled(source, source.stem, ROOT / "runtime/src", ROOT / "runtime/include")

    def test_every_one(self):
        for name in RACES:
            with self.subTest(name):
                exe = linked("shot", self.planted(name))
                found = False
                for way in [way for _ in range(3) for way in ways("shot", False)]:
                    found = found or run(exe, *way, "--threads", 4)[1]
                self.assertTrue(found, "it was not reported")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, help="of every run; 2 to 4 in turn otherwise")
    parser.add_argument("--rounds", type=int, default=1, help="how often everything is run; more than one: every program in every way")
    parser.add_argument("tests", nargs="*", help="Races, Planted, Races.test_line, ...")
    options = parser.parse_args()
    compiler()
    loader = unittest.defaultTestLoader
    module = sys.modules["__main__"]
    with tempfile.TemporaryDirectory(prefix="oocc-threads-") as folder:
        FOLDER = Path(folder)
        status = suite.run(loader.loadTestsFromNames(options.tests, module) if options.tests else loader.loadTestsFromModule(module))
        if tried:
            suite.leave_promise("no data race in the runtime and in emitted C", tried, raced)
    sys.exit(77 if MISSING else status)
