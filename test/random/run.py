#!/usr/bin/env python3
"""Random programs against two references: the plain sweep in memory and a numpy interpreter. The latter has a reference of
its own: an interpreter in plain Python (naive.py), on programs tiny enough for it.

    run.py                      the programs of every test run: a fixed base seed, about three minutes
    run.py --long               2,000 programs
    run.py --seed 17            one program, with its text and every command line
    run.py --base 5000 --programs 300
"""
import argparse
import concurrent.futures
import os
import random
import re
import shlex
import shutil
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import numpy as np

import draw
import naive
import oracle
import programs
import suite
from program_text import program_text

REFUSED = 71    # the memory budget that was drawn is too small for the program: a right answer, not a result
# Options that do not suit the program are refused with the nearest that do, which are then taken.
NARROW = re.compile(r"too narrow: .* at least (\d+) ")
DEEP = re.compile(r"bt is at most (\d+) on this grid")
SHORT = re.compile(r"which is periodic: (a step needs|they cannot be cut)"
                   r"|its edges and offsets need at least")
ONE_STEP = re.compile(r"used by the step: every step waits for it")


def draw_way(rng, program):
    """The options of one run, and whether it is to be stopped half way and resumed."""
    schedule = rng.choice(["stream"] * 7 + ["resident"] * 2 + ["sweep"])
    engine = rng.choice(["memory"] * (5 if schedule == "resident" else 1) + ["mmap", "aio"])
    way = ["--schedule", schedule, "--engine", engine, "--threads", rng.choice([1, 2, 4])]
    if schedule == "stream" and rng.random() < 0.85:
        bt = rng.randint(1, min(program.steps, 9))
        way += ["--bt", bt]
        if rng.random() < 0.8:
            way += ["--bz", rng.randint(1, 7)]
        if rng.random() < 0.6:
            way += ["--ct", rng.randint(1, bt)]
    if schedule == "resident" and rng.random() < 0.5:
        way += ["--ct", rng.randint(1, program.steps)]
    if len(program.dims) > 1 and schedule != "sweep" and rng.random() < 0.5:
        way += ["--yt", rng.randint(1, max(1, program.extents[-2 if len(program.dims) == 3 else -1]))]
    cut = len(program.dims) == 3 and not any(f.edge(program.dims[-1], 0) == "periodic" for f in program.fields)
    if cut and schedule != "sweep" and rng.random() < 0.5:
        way += ["--xt", rng.randint(1, program.extents[-1])]
    if rng.random() < 0.4:
        way += ["--memory", rng.choice(["24M", "32M", "48M"])]
    resumed = schedule == "stream" and engine != "memory" and program.steps > 1 and rng.random() < 0.25
    return [str(part) for part in way], resumed


def without(args, *options):
    """The arguments with these options and their values left out."""
    out, skip = [], False
    for arg in args:
        if not skip and arg not in options:
            out.append(arg)
        skip = not skip and arg in options
    return out


class Trial:
    """One program in its folder, compiled once."""

    def __init__(self, drawn, folder, echo=False):
        self.drawn, self.folder, self.echo = drawn, Path(folder), echo
        for f in drawn.fields:
            if f.file is not None:
                np.save(self.folder / f.path, f.file)
        for statement in [*drawn.injects, *drawn.records]:
            if statement.points.file:
                rows = "".join(", ".join(repr(float(c)) for c in row) + "\n" for row in statement.points.places)
                (self.folder / statement.points.file).write_text(rows)
        for inject in drawn.injects:
            if inject.signal is not None:
                np.save(self.folder / inject.path, inject.signal)
        self.given = {p.name for p in self.folder.iterdir()}
        self.program = programs.Program(program_text(drawn), *drawn.defines("compile"), folder=self.folder)

    def leg(self, args):
        if self.echo:
            print("   ", shlex.join(map(str, [self.program.exe.name, *args])))
        done = self.program.run(*args, status=None, timeout=120)
        if done.returncode != 2:
            return done
        narrow, deep = NARROW.search(done.stderr), DEEP.search(done.stderr)
        if narrow and "--yt" in args:       # the narrowest tile that is legal is the one most worth trying
            rest = without(args, "--yt")
            return self.leg(rest if args[args.index("--yt") + 1] == narrow[1] else [*rest, "--yt", narrow[1]])
        if deep:
            return self.leg([*without(args, "--bt", "--ct"), "--bt", deep[1]])
        if ONE_STEP.search(done.stderr):
            return self.leg(without(args, "--bt", "--ct"))
        return done

    def run(self, way, resumed=False, steps=None):
        """(files by name, lines of monitors), or None when the run refused its memory budget, or a grid that a single
        step wraps around."""
        shutil.rmtree(self.folder / f"r{self.drawn.seed}.scratch", ignore_errors=True) # of a run that failed
        for path in self.folder.glob("*.npy"):
            if path.name not in self.given:
                path.unlink()
        full = [] if steps is None and not self.drawn.steps_option and not resumed else \
            ["--steps", self.drawn.steps if steps is None else steps]
        legs = [full]
        if resumed:
            legs = [["--steps", full[1] // 2, "--keep"], [*full, "--resume"]]
        lines = []
        for leg in legs:
            done = self.leg([*way, *leg, *self.drawn.defines()])
            if (done.returncode == REFUSED and "--memory" in way) or SHORT.search(done.stderr):
                return None
            if done.returncode:
                raise programs.Failure(f"status {done.returncode}\n{done.stderr[-2000:]}")
            lines += [line for line in done.stdout.splitlines() if line.startswith("t=")]
        return {p.name: np.load(p) for p in self.folder.glob("*.npy") if p.name not in self.given}, lines


def first_difference(got, want):
    files, lines = got
    if sorted(files) != sorted(want.files):
        return f"files {', '.join(sorted(files))} instead of {', '.join(sorted(want.files))}"
    for number, (line, expected) in enumerate(zip(lines, want.lines)):
        if line != expected:
            return f"line {number}: '{line}' instead of '{expected}'"
    if len(lines) != len(want.lines):
        return f"{len(lines)} lines of monitors instead of {len(want.lines)}"
    return next(filter(None, (programs.difference(files[name], want.files[name], name) for name in files)), None)


def attempt(trial, way, resumed, want, steps=None):
    """What is wrong with one run, None when nothing is, "refused" when it refused its budget."""
    if resumed and want.level < (trial.drawn.steps if steps is None else steps):
        resumed = False     # it ends by itself; where it is stopped, it would go on
    try:
        got = trial.run(way, resumed, steps)
    except programs.Failure as failure:
        return str(failure)
    return "refused" if got is None else first_difference(got, want)


def shrink(trial, way, resumed, wrong):
    """The fewest steps with which the run is still wrong."""
    for steps in range(1, trial.drawn.steps):
        found = attempt(trial, way, resumed, oracle.run(trial.drawn.with_steps(steps)), steps)
        if found not in (None, "refused"):
            return steps, found
    return trial.drawn.steps, wrong


def describe(trial, way, resumed, wrong):
    steps, wrong = shrink(trial, way, resumed, wrong)
    args = [*way, "--steps", steps, *trial.drawn.defines()]
    return (f"{wrong}\n  with: ./program {shlex.join(map(str, args))}"
            + (f"   (stopped after {steps // 2} steps with --keep, then --resume)" if resumed else "")
            + f"\n  again: test/random/run.py --seed {trial.drawn.seed}"
            + f"\n{program_text(trial.drawn)}")


def check_program(seed, ways, on, echo=False):
    """(runs, refused runs, None or the description of the first failure)."""
    drawn = draw.draw(seed, on)
    rng = random.Random(f"ways {seed}")
    want = oracle.run(drawn)
    with tempfile.TemporaryDirectory(prefix=f"random-{seed}-") as folder:
        try:
            trial = Trial(drawn, folder, echo)
        except programs.Failure as failure:
            return 0, 0, f"{failure}\n{program_text(drawn)}"
        refused = 0
        tries = [(programs.SWEEP, False)] + [draw_way(rng, drawn) for _ in range(ways)]
        for number, (way, resumed) in enumerate(tries):
            wrong = attempt(trial, way, resumed, want)
            if wrong == "refused":
                refused += 1
            elif wrong:
                return number, refused, describe(trial, way, resumed, wrong)
    return len(tries), refused, None


def check_oracle(seed, on):
    """Whether the oracle and the plain interpreter agree on a tiny program; None where a read has no value in so small a
    grid, which runs refuse."""
    drawn = draw.draw(seed, on, tiny=True)
    try:
        want = naive.run(drawn)
    except naive.NoValue:
        return None
    got = oracle.run(drawn)
    wrong = first_difference((got.files, got.lines), want)
    if wrong:
        print(f"\nFAILED oracle, tiny program {seed}: {wrong}\n{program_text(drawn)}", flush=True)
    return not wrong


def check_oracles(seeds, on):
    """How many tiny programs the two interpreters disagree on; a test that compared nothing has failed, too."""
    found = [check_oracle(seed, on) for seed in seeds]
    agreed = found.count(True)
    print(f"the oracle and the plain interpreter agree on {agreed} of {len(found) - found.count(None)} tiny programs")
    return found.count(False) + (agreed * 2 < len(found))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="only this program, verbosely")
    parser.add_argument("--base", type=int, default=1, help="seed of the first program")
    parser.add_argument("--programs", type=int, help="how many programs")
    parser.add_argument("--ways", type=int, default=8, help="runs of each besides the plain sweep")
    parser.add_argument("--oracle", type=int, default=60, help="tiny programs on which the two interpreters are compared")
    parser.add_argument("--long", action="store_true", help="2,000 programs")
    parser.add_argument("--only", help=f"draw only these constructs, of {', '.join(draw.FEATURES)}")
    parser.add_argument("--without", default="", help="draw everything but these")
    options = parser.parse_args()
    programs.compiler()
    on = draw.features(options.only.split(",") if options.only is not None else None,
                       [name for name in options.without.split(",") if name])

    if options.seed is not None:
        print(program_text(draw.draw(options.seed, on)))
        seeds = [options.seed]
    else:
        seeds = list(range(options.base, options.base + (options.programs or (2000 if options.long else 120))))

    started, runs, refused = time.monotonic(), 0, 0
    failures = check_oracles(range(options.base, options.base + options.oracle), on) if options.seed is None else 0
    with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
        jobs = {pool.submit(check_program, seed, options.ways, on, options.seed is not None): seed for seed in seeds}
        for job in concurrent.futures.as_completed(jobs):
            n, r, wrong = job.result()
            runs, refused = runs + n, refused + r
            if wrong:
                failures += 1
                print(f"\nFAILED program {jobs[job]}: {wrong}", flush=True)
    print(f"{len(seeds)} programs, {runs} runs ({refused} refused their memory budget), {failures} failed, "
          f"{time.monotonic() - started:.0f} s")
    if refused * 4 > runs:
        print("FAILED: more than a quarter of the runs refused their memory budget; the sweep shows too little")
        failures += 1
    suite.leave_counts(len(seeds) - min(failures, len(seeds)), failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
