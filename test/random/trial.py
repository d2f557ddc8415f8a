"""One random program in its folder: compiled, run in some way, compared with what it should leave."""
import os
import re
import shlex
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import compilers
import programs
from program_text import program_text

# Right answers that are not results: the memory budget that was drawn is too small for the program, or the grid for its
# edges.
USAGE, BAD_INPUT, NO_MEMORY = 2, 65, 71
TOO_SHORT = re.compile(r"which is periodic: (a step needs|they cannot be cut)|its edges and offsets need at least")
# Knobs that do not suit the program are refused with the nearest that do, which are most worth trying.
TOO_NARROW = re.compile(r"too narrow: .* at least (\d+) ")
TOO_DEEP = re.compile(r"bt is at most (\d+) on this grid")
TOO_MANY = re.compile(r"columns is at most (\d+) on this grid")
NOT_LEANING = re.compile(r"columns cannot lean: |columns is at most 1 on this grid")
NOT_CUT = re.compile(r"columns are not possible: the reduction .* looks at every cell once")


SECONDS = int(os.environ.get("OOCC_RANDOM_SECONDS", 120))   # what a run may take


@dataclass
class Way:
    """How a program is run."""
    options: list = field(default_factory=lambda: list(programs.SWEEP))
    resumed: bool = False       # stopped on the way and resumed
    first: float = 0.5          # which part of the steps comes before
    later: list = None          # options after that; None: the same
    compiled: list = field(default_factory=list)    # knobs that are compiled in

    def __str__(self):
        stopped = f"   (stopped after {self.first:.2f} of the steps with --keep, then --resume"
        later = f" and {shlex.join(self.later)}" if self.later is not None else ""
        return (shlex.join(map(str, self.options)) + (f"   (compiled with {shlex.join(self.compiled)})" if self.compiled else "")
                + (f"{stopped}{later})" if self.resumed else ""))


def write_inputs(model, folder):
    for f in model.fields:
        if f.file is not None:
            np.save(folder / f.path, f.file)
    for statement in [*model.injects, *model.records]:
        points = statement.points
        if points.file:
            lines = [",".join(repr(float(at)) for at in place) for place in points.places]
            (folder / points.file).write_text("\n".join(lines) + "\n")
    for s in model.series:
        np.save(folder / s.path, s.values)
    for i in model.injects:
        if i.signal is not None:
            np.save(folder / i.path, i.signal)


def compile_options(model):
    """What a program is compiled with, besides knobs and the C compiler."""
    return [*model.defines("compile"), *(["--fma"] if model.fma else []), *(["--jam", model.jam] if model.jam else [])]


class Trial:
    """cc: a C compiler that takes the place of the one that was drawn."""

    def __init__(self, model, folder, echo=False, cc=None):
        self.model, self.folder, self.echo, self.cc = model, Path(folder), echo, cc
        self.folder.mkdir(parents=True, exist_ok=True)
        write_inputs(model, self.folder)
        self.inputs = {p.name for p in self.folder.glob("*.npy")}
        self.programs = {}
        self.leaned = 0     # runs in columns that leant
        self.program()

    def program(self, knobs=()):
        """The program compiled with these knobs."""
        key = tuple(knobs)
        if key not in self.programs:
            folder = self.folder if not key else self.folder / "-".join(key).replace("--", "")
            folder.mkdir(exist_ok=True)
            cc = self.cc or (compilers.wrapper(self.model.cc, self.folder) if self.model.cc else None)
            options = [*compile_options(self.model), *key, *(["--cc", cc] if cc else [])]
            self.programs[key] = programs.Program(program_text(self.model), *options, folder=folder)
            self.programs[key].folder = self.folder     # where it runs
        return self.programs[key]

    def leg(self, program, args):
        if self.echo:
            print("   ", shlex.join([str(program.exe), *map(str, args)]))
        done = program.run(*args, status=None, timeout=SECONDS)
        if done.returncode == USAGE and "lean" in args and NOT_LEANING.search(done.stderr):
            return self.leg(program, self.take(args, "--column-sides")[0])
        if done.returncode == USAGE and "--columns" in args and NOT_CUT.search(done.stderr):
            return self.leg(program, self.take(args, "--columns")[0])
        for knob, found in (("--yt", TOO_NARROW.search(done.stderr)), ("--bt", TOO_DEEP.search(done.stderr)),
                            ("--columns", TOO_MANY.search(done.stderr))):
            if done.returncode == USAGE and found and knob in args:
                args, given = self.take(args, knob)
                if knob == "--bt" and "--ct" in args:
                    args, depth = self.take(args, "--ct")
                    args += ["--ct", str(min(int(depth), int(found[1])))]
                return self.leg(program, [*args, knob, found[1]] if given != found[1] else args)
        self.leaned += done.returncode == 0 and "lean" in args
        return done

    @staticmethod
    def take(args, knob):
        """The arguments without a knob, and its value."""
        at = args.index(knob)
        return [*args[:at], *args[at + 2:]], args[at + 1]

    def run(self, way):
        """(files, lines of monitors), or None when the run was refused for a good reason."""
        model, program = self.model, self.program(way.compiled)
        for scratch in [self.folder / f"r{model.seed}.scratch", *self.folder.glob("stripe?")]:
            shutil.rmtree(scratch, ignore_errors=True) # of a run that failed
        for path in self.outputs():
            path.unlink()
        legs = [["--steps", str(model.steps)] if model.steps_option else []]
        if way.resumed and model.steps > 1:
            first = min(model.steps - 1, max(1, int(way.first * model.steps)))
            legs = [["--steps", str(first), "--keep"], ["--steps", str(model.steps), "--resume"]]
        lines = []
        for leg in legs:
            options = way.later if "--resume" in leg and way.later is not None else way.options
            done = self.leg(program, [*options, *leg, *model.defines()])
            if done.returncode == NO_MEMORY and "--memory" in options:
                return None
            if done.returncode == USAGE and way.compiled and (TOO_DEEP.search(done.stderr) or TOO_MANY.search(done.stderr)):
                return None
            if done.returncode == BAD_INPUT and TOO_SHORT.search(done.stderr):
                return None
            if done.returncode:
                raise programs.Failure(f"status {done.returncode}\n{done.stderr[-2000:]}")
            lines += [line for line in done.stdout.splitlines() if line.startswith("t=")]
        return {path.name: np.load(path) for path in self.outputs()}, lines

    def outputs(self):
        return [path for path in sorted(self.folder.glob("*.npy")) if path.name not in self.inputs]


def first_difference(found, want):
    files, lines = found
    for name in sorted(want.files):
        if name not in files:
            return f"{name} was not written"
        wrong = programs.difference(files[name], want.files[name], name)
        if wrong:
            return wrong
    extra = sorted(files.keys() - want.files.keys())
    if extra:
        return f"{', '.join(extra)}: nobody asked for it"
    for number, (got, right) in enumerate(zip(lines + [""] * len(want.lines), want.lines)):
        if got != right:
            return f"line {number + 1} of the monitors: '{got}' instead of '{right}'"
    return f"monitors go on: '{lines[len(want.lines)]}'" if len(lines) > len(want.lines) else None


def attempt(trial, way, want):
    """What is wrong with one run, None when nothing is, "refused" when it was refused for a good reason."""
    if way.resumed and want.level < trial.model.steps:
        way = Way(way.options, False, compiled=way.compiled)     # it ends by itself; where it is stopped, it would go on
    try:
        found = trial.run(way)
    except programs.Failure as failure:
        return str(failure)
    return "refused" if found is None else first_difference(found, want)
