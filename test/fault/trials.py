"""Runs of small programs with something going wrong, and what is to be true of them afterwards.

A trial has a folder of its own, in memory where that takes direct I/O. Trials run two at a time.
"""
import os
import re
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

import places
import programs

HERE = Path(__file__).resolve().parent
LONG = bool(os.environ.get("OOCC_FAULT_LONG"))
AT_ONCE = 2
PLAN = ["--progress", "off", "--probe", "off", "--adapt", "off", "--schedule", "stream", "--bt", "2", "--bz", "2",
        "--threads", "1", "--commit-every", "0"]
START = np.random.default_rng(5).standard_normal((8, 8, 8))
POINTS = "z y x\n# two of them\n3, 2.5, 4\n6 5 1.25\n"
SIGNAL = np.random.default_rng(6).standard_normal((6, 2)).astype(np.float32)
INPUTS = ("start.npy", "signal.npy")
COEFFICIENT = {"wave": b"c", "ring": b"k", "cut": b"c"}
WAYS = {"cut": ["--columns", "2", "--column-sides", "lean"]}


PLACE = places.in_memory()


def put_inputs(folder):
    np.save(folder / "start.npy", START)
    np.save(folder / "signal.npy", SIGNAL)
    (folder / "points.csv").write_text(POINTS)


class Subject:
    """A compiled program, and what it gives when nothing goes wrong."""

    def __init__(self, name, *options):
        self.name = name
        self.coefficient = COEFFICIENT[name]
        self.options = PLAN
        self.program = programs.Program(HERE / "programs" / f"{name}.stn", folder=tempfile.mkdtemp(prefix="oocc-fault-"))
        self.exe = self.program.exe
        with Trial(self) as trial:
            trial.run("--engine", "memory", status=0)
            self.want = trial.outputs()
        assert self.want
        self.options = [*PLAN, *WAYS.get(name, []), *options]

    def close(self):
        shutil.rmtree(self.program.folder, ignore_errors=True)

    def engines(self):
        """Those of all durable engines that work here, and why not the others."""
        found, missing = [], {}
        for engine in ("uring", "aio", "threads", "mmap"):
            with Trial(self) as trial:
                done = trial.run("--engine", engine)
                if done.returncode == 0:
                    found.append(engine)
                else:
                    missing[engine] = done.stderr.strip()
        return found, missing


class Trial:
    """A folder in which a subject runs."""

    def __init__(self, subject):
        self.subject = subject
        self.temporary = tempfile.TemporaryDirectory(prefix="oocc-trial-", dir=PLACE)
        self.folder = Path(self.temporary.name)
        put_inputs(self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def run(self, *args, status=None, timeout=60, **more):
        command = [str(self.subject.exe), *self.subject.options, *map(str, args)]
        done = programs.run(command, timeout, cwd=self.folder, **more)
        if status is not None and done.returncode != status:
            raise programs.Failure(f"status {done.returncode} instead of {status}: {' '.join(command)}\n{done.stderr}")
        return done

    def outputs(self):
        return {path.name: path.read_bytes() for path in self.folder.glob("*.npy") if path.name not in INPUTS}

    def wrong_outputs(self, whole=True):
        """Names of outputs that have other bytes than they should; `whole`: or are not there."""
        have, want = self.outputs(), self.subject.want
        return sorted(name for name in have.keys() | want.keys()
                      if have.get(name) != want.get(name) and (whole or name in have))

    def leftovers(self):
        return sorted(path.name for path in self.folder.iterdir()
                      if path.name.endswith((".scratch", ".tmp")) and (path.is_file() or any(path.iterdir())))

    def as_told(self, failed, *args):
        """Goes on as the messages of a run that failed say; returns what that does."""
        if "--resume goes on" in failed.stderr or "the same command tries again" in failed.stderr:
            return self.run(*args, "--resume")
        if "--restart" in failed.stderr:
            return self.run(*args, "--restart")
        return self.run(*args)


def happened(done):
    """How often a fault happened, and among how many events, as the run's note says."""
    found = re.search(r"happened (\d+) times in (\d+)", done.stderr)
    return (int(found[1]), int(found[2])) if found else (0, 0)


class Counter:
    """Counts trials of one promise; keeps what the first failures said."""

    def __init__(self):
        self.tried, self.failed, self.kinds = 0, [], {}

    def take(self, result):
        """`result`: (what it came to, None or why that is wrong)."""
        kind, wrong = result
        self.tried += 1
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if wrong:
            self.failed.append(wrong)

    def check(self, test):
        if self.failed:
            test.fail(f"{len(self.failed)} of {self.tried} failed, among them\n" + "\n".join(self.failed[:3]))


def try_all(function, cases):
    counter = Counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for result in pool.map(lambda case: function(*case), cases):
            counter.take(result)
    return counter
