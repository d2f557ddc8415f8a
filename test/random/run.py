#!/usr/bin/env python3
"""Random programs against two references: the plain sweep in memory and a numpy interpreter. The latter has a reference of
its own: an interpreter in plain Python (naive.py), on programs tiny enough for it.

    run.py                      the programs of every test run: a fixed base seed, about two minutes
    run.py --long               10,000 programs: within an hour on four cores
    run.py --seed 17            one program, with its text and every command line
    run.py --base 5000 --programs 1000 --thorough 10
    run.py --only temp,where    no other constructs than these and those that every program has
    run.py --without inject     all but these; run.py --list names them
    run.py --dims 1,2           no other numbers of dimensions
    run.py --wide               only programs with planes that can be cut into columns

Two of five programs (--long: one of five; --thorough: so many percent) are tried thoroughly: compiled as drawn and run in 6 ways besides
the plain sweep, every other one in the temporary directory. The others are compiled fast and run in 3. Where it can be, they run in memory.

A program that fails is made smaller and kept with its inputs, in $OOCC_FAILURES or a folder of the temporary directory.
"""
import argparse
import collections
import concurrent.futures
import itertools
import multiprocessing
import os
import random
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import compilers
import draw
import metamorphic
import naive
import oracle
import places
import programs
import shrink
import suite
from program_text import program_text
from trial import Trial, Way, attempt, first_difference, write_inputs
from ways import draw_way


@dataclass
class Findings:
    """What came of one program, or of all of them."""
    programs: int = 0
    runs: int = 0
    refused: int = 0
    wrong: Optional[str] = None         # the description of the first failure
    counts: collections.Counter = field(default_factory=collections.Counter)
    morphed: collections.Counter = field(default_factory=collections.Counter)

    def add(self, other):
        self.programs += other.programs
        self.runs, self.refused = self.runs + other.runs, self.refused + other.refused
        self.counts.update(other.counts)
        self.morphed.update(other.morphed)


class Checker:
    """Checks one program at a time; each process that checks programs has one."""

    def __init__(self, options, failures):
        self.on, self.ways, self.echo = draw.features(options.only, options.without), options.ways, False
        self.failures, self.shrink = failures, not options.as_drawn
        self.morphs, self.percent, self.found = options.morphs, options.thorough, Findings()
        self.selection = "".join(f" --{name} {','.join(value)}" for name, value in
                                 (("only", options.only), ("without", options.without)) if value)

    def thorough(self, seed, percent=None):
        return (seed - 1) * self.percent % 100 < (percent or self.percent)  # evenly spread

    def draw(self, seed):
        program = draw.draw(seed, self.on)
        if not self.thorough(seed) and self.on["compilers"]:
            program.cc = compilers.fast(program.cc, seed)
        return program

    def again(self, seed):
        return f"test/random/run.py --seed {seed}{self.selection}{'' if self.thorough(seed) else ' --thorough 0'}"

    def check(self, seed):
        self.found = Findings(programs=1)
        self.found.wrong = self.check_program(self.draw(seed))
        return self.found

    def check_program(self, program):
        """None or the description of the first failure."""
        rng, thorough = random.Random(f"ways {program.seed}"), self.thorough(program.seed)
        want = oracle.run(program)
        ways = [Way()] + [draw_way(rng, program) for _ in range(self.ways if thorough else (self.ways + 1) // 2)]
        place = None if self.thorough(program.seed, self.percent / 2) else places.in_memory()
        with tempfile.TemporaryDirectory(prefix=f"random-{program.seed}-", dir=place) as folder:
            try:
                trial = Trial(program, folder, self.echo)
            except programs.Failure as failure:
                return self.describe(program, Way(), str(failure))
            resumed = 0
            for way in ways:
                wrong = attempt(trial, way, want)
                if wrong == "refused":
                    self.found.refused += 1
                elif wrong:
                    self.count("wrong by compiler", bool(program.cc))
                    self.count("wrong when resumed", way.resumed)
                    self.count("wrong when sanitized", compilers.is_sanitized(program.cc))
                    return self.describe(program, way, wrong)
                else:
                    resumed += way.resumed
                self.found.runs += 1
            self.count("thorough", thorough)
            self.count("compiled", bool(program.cc))
            self.count("sanitized", compilers.is_sanitized(program.cc))
            self.count("resumed", resumed)
            self.count("leaned", trial.leaned)
            return self.check_morphs(program, want, folder)

    def count(self, what, number):
        self.found.counts[what] += int(number)

    def check_morphs(self, program, want, folder):
        """What is wrong with the program after changes that must not matter: all of them, or one of every third program (every sixth that is not
        tried thoroughly)."""
        rng = random.Random(f"morph {program.seed}")
        found = metamorphic.morphs(program, want, rng, self.morphs or metamorphic.KINDS)
        if not self.morphs:
            rare = [m for m in found if m.kind == "translate"]      # few programs do not know where they are
            often = 1 if self.thorough(program.seed) else 0.5
            found = rare[:rng.random() < 0.6 * often] or ([rng.choice(found)] if rng.random() < 0.33 * often else [])
        for m in found:
            way = draw_way(rng, m.model)
            m.model.cc = compilers.fast(program.cc, program.seed)  # the text that oocc is given has changed, not what is asked of C
            try:
                wrong = attempt(Trial(m.model, Path(folder) / m.kind, self.echo), way, m.want)
            except programs.Failure as failure:
                wrong = str(failure)
            self.found.morphed[m.kind] += wrong != "refused"
            if wrong not in (None, "refused"):
                self.count("wrong when changed", 1)
                return (f"changed in '{m.kind}': {wrong}\n  with: ./program {way}\n  again: {self.again(program.seed)} "
                        f"--morphs {m.kind}\n{program_text(m.model)}")
        return None

    def describe(self, program, way, wrong):
        small, now = shrink.shrink(program, way, wrong) if self.shrink else (program, wrong)
        folder = self.failures / str(program.seed)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        write_inputs(small, folder)
        (folder / "program.stn").write_text(program_text(small))
        (folder / "as-drawn.stn").write_text(program_text(program))
        knobs = (["--fma"] if small.fma else []) + ([f"--jam {small.jam}"] if small.jam else [])
        knobs += [f"{small.cc[0]} {' '.join(small.cc[1])}"] if small.cc else []
        compiled = f"\n  compiled with: {' '.join(knobs)}" if knobs else ""
        steps = f" --steps {small.steps}" if small.steps_option else ""
        defines = "".join(f" {part}" for part in small.defines())
        return (f"{now}\n  with: ./program {way}{steps}{defines}{compiled}"
                f"\n  again: {self.again(program.seed)}"
                f"\n  kept: {folder}\n{program_text(small)}")


def leave_promises(found, failures):
    """Of a program that fails, the run that failed first says which promises did not hold."""
    changed = found.counts["wrong when changed"]
    suite.leave_promise("every schedule, engine and budget gives the bits of the interpreter", found.runs - found.refused, failures - changed,
                        programs=found.programs)
    for promise, tried, wrong in (
            ("a run that is stopped and goes on with other knobs ends in the same bits", "resumed", "wrong when resumed"),
            ("every C compiler gives the same bits at every level", "compiled", "wrong by compiler"),
            ("emitted C runs clean under AddressSanitizer and UBSan", "sanitized", "wrong when sanitized")):
        failed = found.counts[wrong]
        suite.leave_promise(promise, found.counts[tried] + failed, failed)
    suite.leave_promise("changes that must not matter do not", sum(found.morphed.values()), changed)


def check_oracle(seed, on):
    """Whether the oracle and the plain interpreter agree on a tiny program; None where a read has no value in so small a
    grid, which runs refuse."""
    program = draw.draw(seed, on, tiny=True)
    try:
        want = naive.run(program)
    except naive.NoValue:
        return None
    got = oracle.run(program)
    wrong = first_difference((got.files, got.lines), want)
    if wrong:
        print(f"\nFAILED oracle, tiny program {seed}: {wrong}\n{program_text(program)}", flush=True)
    return not wrong


def check_oracles(seeds, on):
    """How many tiny programs the two interpreters disagree on; a test that compared nothing has failed, too."""
    found = [check_oracle(seed, on) for seed in seeds]
    agreed = found.count(True)
    suite.leave_promise("two interpreters, written apart, agree", agreed + found.count(False), found.count(False))
    print(f"the oracle and the plain interpreter agree on {agreed} of {len(found) - found.count(None)} tiny programs")
    return found.count(False) + (agreed * 2 < len(found))


def names(text):
    return text.split(",")


def seeds_from(options, on):
    """Those of the programs to draw: the next ones, or the next ones of so many dimensions, or whose planes are wide."""
    if not options.dims and not options.wide:
        return list(range(options.base, options.base + options.programs))
    if not set(options.dims or []) <= set("1234"):
        raise SystemExit("run.py: --dims takes numbers from 1 to 4, like 1,2")

    def is_wanted(program):
        if options.wide and not (program.can_have_columns() and program.extents[1] >= draw.WIDE):
            return False
        return not options.dims or str(len(program.dims)) in options.dims
    wanted = (seed for seed in itertools.count(options.base) if is_wanted(draw.draw(seed, on)))
    return list(itertools.islice(wanted, options.programs))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="only this program, verbosely")
    parser.add_argument("--base", type=int, default=1, help="seed of the first program")
    parser.add_argument("--programs", type=int, help="how many programs (300; --long: 10,000)")
    parser.add_argument("--thorough", type=int, metavar="PERCENT", help="how many of them to try thoroughly (40; --long: 20; --seed: 100)")
    parser.add_argument("--ways", type=int, default=6, help="runs of these besides the plain sweep (6); of the others half as many")
    parser.add_argument("--oracle", type=int, default=60, help="tiny programs on which the two interpreters are compared")
    parser.add_argument("--long", action="store_true", help="many programs, on all cores")
    parser.add_argument("--only", type=names, help="constructs to draw, joined by commas")
    parser.add_argument("--without", type=names, default=[], help="constructs not to draw")
    parser.add_argument("--dims", type=names, help="programs of so many dimensions alone, like 1,2")
    parser.add_argument("--wide", action="store_true", help="programs alone whose planes can be cut into columns")
    parser.add_argument("--morphs", type=names, help="changes that must not matter to try on every program, joined by commas: "
                        + ", ".join(metamorphic.KINDS))
    parser.add_argument("--list", action="store_true", help="print the constructs' names")
    parser.add_argument("--as-drawn", action="store_true", help="do not make failing programs smaller")
    parser.add_argument("--stop", action="store_true", help="end at the first failure")
    parser.add_argument("--jobs", type=int, help="programs at once (half as many as there are cores; --long: a few more than cores)")
    options = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    if options.thorough is None:
        options.thorough = 100 if options.seed is not None else 20 if options.long else 40
    options.programs = options.programs or (10000 if options.long else 300)
    options.jobs = options.jobs or (cores + 2 if options.long else max(1, cores // 2))  # runs wait for devices and for each other
    if options.list:
        print("\n".join(draw.FEATURES))
        return 0
    programs.compiler()
    try:
        checker = Checker(options, Path(os.environ.get("OOCC_FAILURES") or Path(tempfile.gettempdir()) / "oocc-random-failures"))
    except ValueError as error:
        parser.error(str(error))
    if unknown := set(options.morphs or ()) - set(metamorphic.KINDS):
        parser.error(f"no change '{unknown.pop()}'; there are {', '.join(metamorphic.KINDS)}")

    if options.seed is not None:
        print(program_text(checker.draw(options.seed)), flush=True)
        checker.echo, seeds = True, [options.seed]
    else:
        seeds = seeds_from(options, checker.on)

    started, found = time.monotonic(), Findings()
    disagreed = failures = check_oracles(range(options.base, options.base + options.oracle), checker.on) if options.seed is None else 0
    # Processes: interpreting a program in numpy is a tenth of the work.
    with concurrent.futures.ProcessPoolExecutor(options.jobs, multiprocessing.get_context("fork")) as pool:
        jobs = {pool.submit(checker.check, seed): seed for seed in seeds}
        for number, job in enumerate(concurrent.futures.as_completed(jobs), 1):
            result = job.result()
            found.add(result)
            if result.wrong:
                failures += 1
                print(f"\nFAILED program {jobs[job]}: {result.wrong}", flush=True)
                if options.stop:
                    pool.shutdown(wait=False, cancel_futures=True)
                    break
            if number % 1000 == 0:
                print(f"{number} programs, {failures} failed, {time.monotonic() - started:.0f} s", flush=True)
    seconds = time.monotonic() - started
    print(f"{len(seeds)} programs, {found.runs} runs ({found.refused} refused), {failures} failed, {seconds:.0f} s")
    print(f"{found.counts['thorough']} thoroughly, {found.counts['compiled']} by other compilers or levels, {found.counts['sanitized']} "
          f"sanitized; {found.counts['resumed']} runs stopped and gone on; {found.counts['leaned']} in columns that lean", flush=True)
    print("changes that must not matter: " + (", ".join(f"{n} of {kind}" for kind, n in sorted(found.morphed.items())) or "none"))
    if found.refused * 4 > found.runs:
        print("FAILED: more than a quarter of the runs were refused; they show too little")
        failures += 1
    leave_promises(found, failures - disagreed)
    suite.leave_counts(len(seeds) - min(failures, len(seeds)), failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
