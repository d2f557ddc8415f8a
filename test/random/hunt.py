#!/usr/bin/env python3
"""Looks for a random program that a bug shows in: the same programs for every bug, so what does not depend on it is kept.

    hunt.py --oocc BIN --kept FOLDER --sound BIN --programs 300 [--changed]

Kept are the programs as drawn, what they should leave, the C that a sound oocc makes of each, and compiled C. --changed skips
programs of which the oocc with the bug makes the same C. A failure counts when the sound oocc does not have it; one by a time
limit, when it comes three times. The last line is JSON: what failed, how many programs and runs were tried.
"""
import argparse
import json
import os
import pickle
import random
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import draw
import oracle
import programs
from program_text import program_text
from trial import Trial, Way, attempt, compile_options
from ways import draw_way

# What oocc is given as the C compiler: compiles, keeps the object by what went into it, and links.
KEEPING = """#!{python} -SE
import hashlib, os, subprocess, sys
args = sys.argv[1:]
at = next(i for i, a in enumerate(args) if a.endswith(".c"))
folder = next(a[2:] for a in args if a.startswith("-I")) + "/oocc"
flags = [a for a in args[:at] if not a.startswith("-I")] + ["-O1"]
digest = hashlib.sha256(" ".join(flags).encode())
for path in [*sorted(os.path.join(folder, name) for name in os.listdir(folder)), args[at]]:
    with open(path, "rb") as file:
        digest.update(file.read())
kept = {folder!r} + "/" + digest.hexdigest() + ".o"
if not os.path.exists(kept):
    made = kept + str(os.getpid())
    status = subprocess.call(["gcc", *args[:at], "-O1", "-c", args[at], "-o", made])
    if status:
        sys.exit(status)
    os.rename(made, kept)
os.execvp("gcc", ["gcc", *flags, kept, *args[at + 1:]])
"""


def keeping_compiler(folder):
    """A compiler that compiles the same C once, for all bugs."""
    objects, path = folder / "objects", folder / "cc"
    objects.mkdir(parents=True, exist_ok=True)
    made = path.with_name(f"cc-{os.getpid()}")
    made.write_text(KEEPING.format(python=sys.executable, folder=str(objects)))
    made.chmod(0o755)
    made.rename(path)
    return path


class Kept:
    """Programs as drawn, what they should leave and the C of a sound oocc, by seed."""

    def __init__(self, folder, sound):
        self.folder, self.sound = folder, sound
        folder.mkdir(parents=True, exist_ok=True)

    def kept(self, name, make):
        path = self.folder / name
        if not path.exists():
            made = path.with_name(f"{name}-{os.getpid()}")
            made.write_bytes(pickle.dumps(make()))
            made.rename(path)
        return pickle.loads(path.read_bytes())

    def program(self, seed):
        """(the program as drawn, its C)."""
        def make():
            model = draw.draw(seed)
            return model, emitted(self.sound, model)
        return self.kept(f"{seed}.program", make)

    def wanted(self, model):
        return self.kept(f"{model.seed}.wanted", lambda: oracle.run(model))


def emitted(oocc, model):
    """The C that it makes of a program; None when it fails."""
    with tempfile.TemporaryDirectory(prefix="emit-") as folder:
        Path(folder, "program.stn").write_text(program_text(model))
        done = subprocess.run([oocc, "program.stn", "-o", "program.c", *compile_options(model)], cwd=folder,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
        return Path(folder, "program.c").read_text() if done.returncode == 0 else None


def try_program(oocc, model, want, ways, cc):
    """(what is wrong with the first run that fails, its way, runs). What takes too long is tried again: the machine may have
    stood still."""
    for _ in range(3):
        wrong, way, runs = try_once(oocc, model, want, ways, cc)
        if not wrong or not wrong.startswith("still running"):
            break
        ways = [way] if runs else ways
    return wrong, way, runs


def try_once(oocc, model, want, ways, cc):
    os.environ["OOCC"] = str(oocc)
    with tempfile.TemporaryDirectory(prefix=f"hunt-{model.seed}-") as folder:
        try:
            trial = Trial(model, folder, cc=cc)
        except programs.Failure as failure:
            return str(failure), Way(), 0
        for runs, way in enumerate(ways, 1):
            wrong = attempt(trial, way, want)
            if wrong not in (None, "refused"):
                return wrong, way, runs
    return None, None, len(ways)


def hunt(options):
    kept, cc = Kept(options.kept / "programs", options.sound), None if options.as_drawn else keeping_compiler(options.kept)
    tried = runs = 0
    for seed in range(options.base, options.base + options.programs):
        model, c = kept.program(seed)
        if options.changed and emitted(options.oocc, model) == c:
            continue
        rng = random.Random(f"ways {seed}")
        ways = [Way()] + [draw_way(rng, model) for _ in range(options.ways)]
        tried += 1
        want = kept.wanted(model)
        wrong, way, number = try_program(options.oocc, model, want, ways, cc)
        runs += number
        if wrong:
            if try_program(options.sound, model, want, [way], cc)[0]:
                raise SystemExit(f"program {seed} fails without a bug, too: {way}")
            return {"seed": seed, "wrong": wrong, "way": shlex.join(way.options), "drawn": seed - options.base + 1,
                    "programs": tried, "runs": runs}
    return {"seed": None, "drawn": options.programs, "programs": tried, "runs": runs}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--oocc", type=Path, required=True, help="the one with a bug")
    parser.add_argument("--sound", type=Path, required=True, help="the one without")
    parser.add_argument("--kept", type=Path, required=True, help="where to keep what all bugs have in common")
    parser.add_argument("--base", type=int, default=1)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--ways", type=int, default=8)
    parser.add_argument("--changed", action="store_true", help="only programs of which it makes other C")
    parser.add_argument("--as-drawn", action="store_true", help="compiled by the compilers that were drawn, at their levels")
    options = parser.parse_args()
    for name in ("oocc", "sound", "kept"):
        setattr(options, name, getattr(options, name).resolve())    # programs are compiled in folders of their own
    print(json.dumps(hunt(options)))


if __name__ == "__main__":
    main()
