"""Compiling and running programs from a test: where the compiler is, how a run is started, what its results are."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent

# Tests run more threads than there are cores; threads that wait must not spin.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# What was measured or tuned on this machine is not to choose their plans.
os.environ.setdefault("OOCC_CACHE", os.path.join(tempfile.gettempdir(), f"oocc-cache-{os.getpid()}"))


def compiler():
    """The oocc to test: $OOCC, else the release build's, else the one on the PATH."""
    candidates = [os.environ.get("OOCC"), ROOT / "build/release/bin/oocc", shutil.which("oocc")]
    for path in candidates:
        if path and Path(path).is_file():
            return os.path.abspath(path)
    sys.exit("no oocc found: build it (scripts/build) or name one with OOCC=/path/to/oocc")


class Failure(AssertionError):
    """A command ended otherwise than it should; the text says which, and what it printed."""


def run(command, timeout, **more):
    """As subprocess.run(), with the text captured. Only time in which this process runs counts: when it is frozen, or the machine
    suspended, so is what it waits for."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more) as process:
        left, step = timeout, 1
        while True:
            began = time.monotonic()
            try:
                out, err = process.communicate(timeout=step)
                return subprocess.CompletedProcess(command, process.returncode, out, err)
            except subprocess.TimeoutExpired:
                left -= min(time.monotonic() - began, 3 * step)
                if left <= 0:
                    process.kill()
                    raise
            except BaseException:
                process.kill()
                raise


def call(command, cwd, status=0, timeout=300, **more):
    """Runs a command; raises Failure unless it ends with the status (None: any)."""
    command = [str(part) for part in command]
    try:
        done = run(command, timeout, cwd=cwd, **more)
    except subprocess.TimeoutExpired:
        raise Failure(f"still running after {timeout} s: {' '.join(command)}") from None
    if status is not None and done.returncode != status:
        raise Failure(f"status {done.returncode} instead of {status}: {' '.join(command)}\n"
                      f"{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done


class Program:
    """One compiled program in a folder of its own, which goes when the `with` block ends."""

    def __init__(self, source, *options, folder=None):
        self.temporary = None if folder else tempfile.TemporaryDirectory(prefix="oocc-")
        self.folder = Path(folder or self.temporary.name)
        if isinstance(source, Path):
            self.source = source
        else:
            self.source = self.folder / "program.stn"
            self.source.write_text(source)
        self.exe = self.folder / self.source.stem
        call([compiler(), self.source, "--emit=exe", "-o", self.exe, *options], self.folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.temporary:
            self.temporary.cleanup()

    def run(self, *args, status=0, **more):
        return call([self.exe, "--progress", "off", *args], self.folder, status, **more)

    def load(self, name):
        return np.load(self.folder / name)

    def report(self, *args, **more):
        path = self.folder / "report.json"
        self.run("--report", path, *args, **more)
        return json.loads(path.read_text())


# One way of each kind; every one has to give the bits of the first.
SWEEP = ["--schedule", "sweep", "--engine", "memory"]
WAYS = [
    SWEEP,
    ["--schedule", "resident", "--engine", "memory", "--threads", "3"],
    ["--schedule", "stream", "--engine", "memory", "--bt", "3", "--bz", "2", "--threads", "2"],
    ["--schedule", "stream", "--engine", "mmap", "--bt", "4", "--bz", "3", "--ct", "2", "--threads", "2"],
    ["--schedule", "stream", "--engine", "aio", "--bt", "5", "--bz", "1", "--threads", "4"],
    ["--schedule", "overlap", "--engine", "memory", "--bt", "4", "--bz", "3", "--ct", "2", "--threads", "2"],
    ["--schedule", "overlap", "--engine", "aio", "--bt", "3", "--bz", "5", "--ct", "1", "--threads", "3"],
    ["--schedule", "stream", "--engine", "auto", "--bt", "4", "--bz", "2", "--threads", "3", "--io-request", "16K"],
    ["--schedule", "sweep", "--engine", "swap", "--threads", "2"],
]


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def difference(got, want, name=""):
    """None when the bits are the same; otherwise a line that says where they first differ."""
    if same_bits(got, want):
        return None
    if got.dtype != want.dtype or got.shape != want.shape:
        return f"{name}: {got.dtype}{got.shape} instead of {want.dtype}{want.shape}"
    unsigned = {1: np.uint8, 4: np.uint32, 8: np.uint64}[got.dtype.itemsize]
    at = np.argwhere(np.ascontiguousarray(got).view(unsigned) != np.ascontiguousarray(want).view(unsigned))
    first = tuple(int(i) for i in at[0])
    return (f"{name}: {len(at)} of {got.size} cells differ, the first at {first}: "
            f"{got[first]!r} instead of {want[first]!r}")


def check(source, options, steps, reference, ways=WAYS):
    """Compiles a program, runs it in every way and compares its outputs with a reference, bit for bit.

    reference(initial, steps) gets the outputs of a run of 0 steps as {file: array} and returns what `steps` steps
    make of them. Raises Failure at the first difference.
    """
    with Program(source) as program:
        def outputs():
            found = {p.name: np.load(p) for p in sorted(program.folder.glob("*.npy"))}
            for name in found:
                (program.folder / name).unlink()
            return found

        program.run(*SWEEP, *options, "--steps", 0)
        want = reference(outputs(), steps)
        for way in ways:
            program.run(*way, *options, "--steps", steps)
            got = outputs()
            for name in want:
                wrong = difference(got[name], want[name], name)
                if wrong:
                    raise Failure(f"{wrong}\nrun as: {' '.join(map(str, [*way, *options, '--steps', steps]))}")
