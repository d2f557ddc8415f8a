"""What every example's check needs: runs of it at any size, and the promise that the bits never depend on how it is run.

    with bits.Example(HERE / "heat.stn", prepare) as example:
        run = example.run(40, n=53)                     # 40 steps: run.files["u.npy"], run.values["mass"], run.report
        bits.close(run.files["u.npy"], reference(53, 40), 1e-12)
        example.same_bits(12, dict(n=37), dict(n=96))   # every schedule, engine, budget and number of threads

`prepare(folder, **params)` writes the files that the program reads; it may be left out.
"""
import json
import sys
import tempfile
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np

EXAMPLES = Path(__file__).resolve().parent
sys.path[:0] = [str(EXAMPLES.parent / "test" / "support")]

import programs

PLAIN = ["--schedule", "sweep", "--engine", "memory", "--threads", "1"]     # what all other ways must agree with
SHARES = 2, 8   # the window of a run out of core: a half of the state, where passes are deep, and an eighth
SLACK = 3 << 17 # what a program takes besides its window differs by up to 300 KiB from start to start: where its libraries come to lie


class Example:
    """A compiled example; what its runs write goes when the `with` block ends."""

    def __init__(self, source, prepare=None):
        self.program = programs.Program(Path(source))
        self.prepare = prepare

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.__exit__()

    def run(self, steps, *way, **params):
        """Runs in the way that these options say, or the plain one. Of the files, what the run has written."""
        with self.folder(params) as folder:
            return self.run_in(Path(folder), steps, way or PLAIN, params)

    def same_bits(self, steps, *sizes):
        """Raises Failure unless all runs of these sizes (dicts of parameters) give the bits of the plain one.

        The last size is the one that must be large enough for a window of an eighth of its state.
        """
        for params in sizes:
            with self.folder(params) as folder:
                want = self.run_in(Path(folder), steps, PLAIN, params)
                for share, way in self.ways(folder, steps, params):
                    got = self.run_in(Path(folder), steps, way, params)
                    wrong = difference(got, want)
                    if params is sizes[-1]:
                        wrong = wrong or too_wide(got.report, share)
                    if wrong:
                        raise programs.Failure(f"{wrong}\nrun as: {' '.join(map(str, [*way, *options(steps, params)]))}")

    def ways(self, folder, steps, params):
        """(share of the state that fits the window, options)"""
        yield 1, ["--schedule", "resident", "--engine", "memory", "--threads", "4"]
        yield 1, ["--schedule", "stream", "--engine", "memory", "--bz", "3", "--adapt", "random:1"]
        for share, engine, threads in product(SHARES, ("auto", "mmap"), ("1", "4")):
            way = ["--schedule", "stream", "--engine", engine, "--threads", threads]
            yield share, [*way, "--memory", str(self.budget(folder, [*way, *options(steps, params)], share))]

    def budget(self, folder, command, share):
        """Bytes that leave the window this share of the state, or what the smallest window of so small a grid takes.

        What a run needs besides its window (program, stacks, tables) does not grow with the grid and comes on top:
        the grids of a check are small, and it would be more than they are.
        """
        plan = programs.call([self.program.exe, "--plan", "--json", "--bt", "1", "--bz", "1", *command], folder).stdout
        found = json.loads(plan)
        state = found["grid"]["state_bytes"] + found["grid"]["coef_bytes"]
        return found["plan"]["fixed_bytes"] + max(state // share, found["plan"]["window_bytes"]) + SLACK

    def folder(self, params):
        folder = tempfile.TemporaryDirectory(dir=self.program.folder)
        if self.prepare:
            self.prepare(Path(folder.name), **params)
        return folder

    def run_in(self, folder, steps, way, params):
        given, report = {p: p.stat().st_mtime_ns for p in folder.iterdir()}, folder / "report.json"
        programs.call([self.program.exe, "--progress", "off", "--restart", "--report", report, *way,
                       *options(steps, params)], folder)
        found = json.loads(report.read_text())
        report.unlink()
        written = [p for p in sorted(folder.glob("*.npy")) if given.get(p) != p.stat().st_mtime_ns]
        files = {p.name: np.load(p) for p in written}
        for path in written:
            path.unlink()
        return SimpleNamespace(files=files, values=found["measured"]["values"], report=found)


def options(steps, params):
    return [*(word for name, value in params.items() for word in ("-D", f"{name}={value}")), "--steps", steps]


def difference(got, want):
    """None when two runs have given the same bits; otherwise what differs first."""
    for name, array in want.files.items():
        if name not in got.files:
            return f"{name} was not written"
        if not programs.same_bits(got.files[name], array):
            return f"{name} differs" if array.dtype.kind != "f" else programs.difference(got.files[name], array, name)
    for key in ("steps", "result_hash", "values", "stopped"):
        a, b = (run.report["measured"][key] for run in (got, want))
        if repr(a) != repr(b):
            return f"{key}: {a} instead of {b}"
    return None


def too_wide(report, share):
    """None when the window was no more than this share of the state; otherwise what it was."""
    state = report["grid"]["state_bytes"] + report["grid"]["coef_bytes"]
    window = report["plan"]["window_bytes"]
    if share == 1 or window <= state // share + 2 * SLACK < state:
        return None
    return f"a window of {window} bytes is not 1/{share} of {state}, the state: take a larger size"


def close(got, want, tolerance, name="result"):
    """Raises Failure where values are further apart than the tolerance, a share of the largest value wanted."""
    scale = np.abs(want).max()
    if got.shape != want.shape or not scale > 0:
        raise programs.Failure(f"{name}: shape {got.shape} instead of {want.shape}, largest value {scale}")
    error = np.abs(got.astype(float) - want)
    at = np.unravel_index(np.nan_to_num(error, nan=np.inf).argmax(), error.shape)
    if not error[at] <= tolerance * scale:
        raise programs.Failure(f"{name}: off by {error[at] / scale:.3g} of the largest value at "
                               f"{tuple(map(int, at))}, where {tolerance:g} is allowed: {got[at]} instead of {want[at]}")


def equal(got, want, name="result"):
    """Raises Failure unless two arrays are the same, bit for bit."""
    if not programs.same_bits(got, want):
        raise programs.Failure(programs.difference(got, want, name) if want.dtype.kind == "f" else f"{name} differs")
