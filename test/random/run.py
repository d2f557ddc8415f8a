#!/usr/bin/env python3
"""Random programs against two references: the plain sweep in memory and a numpy interpreter. The latter has a reference of
its own: an interpreter in plain Python (naive.py), on programs tiny enough for it.

    run.py                      the programs of every test run: a fixed base seed, about three minutes
    run.py --long               2,000 programs
    run.py --seed 17            one program, with its text and every command line
    run.py --base 5000 --programs 300
    run.py --only temp,where    no other constructs than these and those that every program has
    run.py --without inject     all but these; run.py --list names them

A program that fails is made smaller and kept with its inputs, in $OOCC_FAILURES or a folder of the temporary directory.
"""
import argparse
import concurrent.futures
import os
import random
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import compilers
import draw
import metamorphic
import naive
import oracle
import programs
import shrink
import suite
from program_text import program_text
from trial import Trial, Way, attempt, first_difference, write_inputs


STRIPES = ["stripe1,stripe2", "stripe2,stripe3,stripe1"]


def draw_way(rng, program):
    way = one_way(rng, program)
    later = random.Random(f"later {program.seed} {way.options}")     # so that other draws stay what they are
    if way.resumed and later.random() < 0.8:
        way.first = later.random()
        way.later = goes_on(later, program, way)
    return way


def goes_on(rng, program, way):
    """Other options for the rest of a run: all but where its state is."""
    for _ in range(20):
        options = one_way(rng, program).options
        durable = options[options.index("--engine") + 1] not in ("memory", "swap")
        if durable and options[options.index("--schedule") + 1] in ("stream", "overlap"):
            if "--scratch" in options:
                at = options.index("--scratch")
                options = options[:at] + options[at + 2:]
            kept = way.options.index("--scratch") if "--scratch" in way.options else len(way.options)
            return options + way.options[kept:kept + 2]
    return None


def one_way(rng, program):
    waits = any(w.feeds for w in program.watches)      # a pass is one step
    schedule = rng.choice(["stream"] * 5 + ["overlap"] * 3 + ["resident"] * 2 + ["sweep"])
    engine = rng.choice(["memory"] * (5 if schedule == "resident" else 1) + ["mmap", "aio", "threads", "swap", "auto", "auto"])
    way = ["--schedule", schedule, "--engine", engine, "--threads", rng.choice([1, 2, 4])]
    knobs = []
    if schedule in ("stream", "overlap") and rng.random() < 0.85:
        bt = 1 if waits else rng.randint(1, min(program.steps, 9))
        knobs += ["--bt", bt]
        if rng.random() < 0.8:
            knobs += ["--bz", rng.randint(1, 7)]
        if rng.random() < 0.6:
            knobs += ["--ct", rng.randint(1, bt)]
    if schedule == "resident" and not waits and rng.random() < 0.5:
        knobs += ["--ct", rng.randint(1, program.steps)]
    tiled = {1: None, 2: 1}.get(len(program.dims), 1)
    if tiled is not None and schedule != "sweep" and rng.random() < 0.5:
        knobs += ["--yt", rng.randint(1, program.extents[tiled])]
    if tiled is not None and schedule != "sweep" and rng.random() < 0.4:
        way += ["--chains", rng.randint(1, 5)]
    if len(program.dims) == 3 and not program.wraps(program.dims[-1]) and schedule != "sweep" and rng.random() < 0.5:
        knobs += ["--xt", rng.randint(1, program.extents[-1])]
    cuts = rng.random() < 0.5       # where planes can be cut into columns
    stored = schedule in ("stream", "overlap") or schedule == "sweep" and engine not in ("memory", "swap")
    if stored and program.can_have_columns() and cuts:
        knobs += ["--columns", rng.randint(2, 4)]
    knobs = [str(part) for part in knobs]
    compiled = schedule in ("stream", "overlap") and "--yt" not in knobs and rng.random() < 0.08
    if engine not in ("memory", "swap") and rng.random() < 0.3:
        way += rng.choice([["--io-depth", rng.choice([1, 3, 40])], ["--io-request", rng.choice(["4K", "20K", "1M"])]])
    if rng.random() < 0.4:
        way += ["--memory", rng.choice(["24M", "32M", "48M"])]
    if engine not in ("memory", "swap") and rng.random() < 0.3:
        way += ["--scratch", rng.choice(STRIPES)]
    # Any legal tiles will do, and others for every slab.
    if schedule != "sweep" and not {"--ct", "--yt"} & set(knobs) and rng.random() < 0.6:
        way += ["--adapt", f"random:{rng.randrange(1000)}"]
    # Trials of plans, on the real store, are not seen by what follows; what wins chooses later runs' plans.
    if not knobs and schedule != "sweep" and rng.random() < 0.5:
        way += ["--tune", "--tune-seconds", "0.1", "--probe", "off"]
    if rng.random() < 0.1:
        way += rng.choice([["--prefetch", "off"], ["--barriers", "on"]])
    resumed = schedule in ("stream", "overlap") and engine not in ("memory", "swap") and program.steps > 1 and rng.random() < 0.25
    return Way([str(part) for part in way] + ([] if compiled else knobs), resumed, compiled=knobs if compiled else [])


class Checker:
    def __init__(self, options, failures):
        self.on, self.ways, self.echo = draw.features(options.only, options.without), options.ways, False
        self.failures, self.shrink = failures, not options.as_drawn
        self.morphs, self.morphed, self.counts, self.lock = options.morphs, {}, {}, threading.Lock()
        self.selection = "".join(f" --{name} {','.join(value)}" for name, value in
                                 (("only", options.only), ("without", options.without)) if value)

    def check(self, seed):
        """(runs, refused runs, None or the description of the first failure)."""
        program = draw.draw(seed, self.on)
        rng = random.Random(f"ways {seed}")
        want = oracle.run(program)
        with tempfile.TemporaryDirectory(prefix=f"random-{seed}-") as folder:
            try:
                trial = Trial(program, folder, self.echo)
            except programs.Failure as failure:
                return 0, 0, self.describe(program, Way(), str(failure))
            refused = resumed = 0
            tries = [Way()] + [draw_way(rng, program) for _ in range(self.ways)]
            for number, way in enumerate(tries):
                wrong = attempt(trial, way, want)
                if wrong == "refused":
                    refused += 1
                elif wrong:
                    self.count("wrong by compiler", bool(program.cc))
                    self.count("wrong when resumed", way.resumed)
                    self.count("wrong when sanitized", compilers.is_sanitized(program.cc))
                    return number, refused, self.describe(program, way, wrong)
                else:
                    resumed += way.resumed
            self.count("compiled", bool(program.cc))
            self.count("sanitized", compilers.is_sanitized(program.cc))
            self.count("resumed", resumed)
            wrong = self.check_morphs(program, want, folder)
        return len(tries), refused, wrong

    def count(self, what, number):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + int(number)

    def leave_promises(self, runs, failures):
        """Of a program that fails, the run that failed first says which promises did not hold."""
        changed = self.counts.get("wrong when changed", 0)
        suite.leave_promise("every schedule, engine and budget gives the bits of the interpreter", runs, failures - changed)
        for promise, tried, wrong in (
                ("a run that is stopped and goes on with other knobs ends in the same bits", "resumed", "wrong when resumed"),
                ("every C compiler gives the same bits at every level", "compiled", "wrong by compiler"),
                ("emitted C runs clean under AddressSanitizer and UBSan", "sanitized", "wrong when sanitized")):
            failed = self.counts.get(wrong, 0)
            suite.leave_promise(promise, self.counts.get(tried, 0) + failed, failed)
        suite.leave_promise("changes that must not matter do not", sum(self.morphed.values()), changed)

    def check_morphs(self, program, want, folder):
        """What is wrong with the program after changes that must not matter: all of them, or of every third program one."""
        rng = random.Random(f"morph {program.seed}")
        found = metamorphic.morphs(program, want, rng, self.morphs or metamorphic.KINDS)
        if not self.morphs:
            rare = [m for m in found if m.kind == "translate"]      # few programs do not know where they are
            found = rare[:rng.random() < 0.6] or ([rng.choice(found)] if rng.random() < 0.33 else [])
        for m in found:
            way = draw_way(rng, m.model)
            try:
                wrong = attempt(Trial(m.model, Path(folder) / m.kind, self.echo), way, m.want)
            except programs.Failure as failure:
                wrong = str(failure)
            with self.lock:
                self.morphed[m.kind] = self.morphed.get(m.kind, 0) + (wrong != "refused")
            if wrong not in (None, "refused"):
                self.count("wrong when changed", 1)
                return (f"changed in '{m.kind}': {wrong}\n  with: ./program {way}\n  again: test/random/run.py --seed {program.seed} "
                        f"--morphs {m.kind}{self.selection}\n{program_text(m.model)}")
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
                f"\n  again: test/random/run.py --seed {program.seed}{self.selection}"
                f"\n  kept: {folder}\n{program_text(small)}")


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="only this program, verbosely")
    parser.add_argument("--base", type=int, default=1, help="seed of the first program")
    parser.add_argument("--programs", type=int, help="how many programs")
    parser.add_argument("--ways", type=int, default=8, help="runs of each besides the plain sweep")
    parser.add_argument("--oracle", type=int, default=60, help="tiny programs on which the two interpreters are compared")
    parser.add_argument("--long", action="store_true", help="2,000 programs")
    parser.add_argument("--only", type=names, help="constructs to draw, joined by commas")
    parser.add_argument("--without", type=names, default=[], help="constructs not to draw")
    parser.add_argument("--morphs", type=names, help="changes that must not matter to try on every program, joined by commas: "
                        + ", ".join(metamorphic.KINDS))
    parser.add_argument("--list", action="store_true", help="print the constructs' names")
    parser.add_argument("--as-drawn", action="store_true", help="do not make failing programs smaller")
    parser.add_argument("--stop", action="store_true", help="end at the first failure")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2), help="programs at once")
    options = parser.parse_args()
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
        print(program_text(draw.draw(options.seed, checker.on)))
        checker.echo, seeds = True, [options.seed]
    else:
        seeds = list(range(options.base, options.base + (options.programs or (2000 if options.long else 120))))

    started, runs, refused = time.monotonic(), 0, 0
    disagreed = failures = check_oracles(range(options.base, options.base + options.oracle), checker.on) if options.seed is None else 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        jobs = {pool.submit(checker.check, seed): seed for seed in seeds}
        for job in concurrent.futures.as_completed(jobs):
            n, r, wrong = job.result()
            runs, refused = runs + n, refused + r
            if wrong:
                failures += 1
                print(f"\nFAILED program {jobs[job]}: {wrong}", flush=True)
                if options.stop:
                    pool.shutdown(wait=False, cancel_futures=True)
                    break
    print(f"{len(seeds)} programs, {runs} runs ({refused} refused), {failures} failed, "
          f"{time.monotonic() - started:.0f} s")
    print("changes that must not matter: " + (", ".join(f"{n} of {kind}" for kind, n in sorted(checker.morphed.items())) or "none"))
    if refused * 4 > runs:
        print("FAILED: more than a quarter of the runs were refused; they show too little")
        failures += 1
    checker.leave_promises(runs - refused, failures - disagreed)
    suite.leave_counts(len(seeds) - min(failures, len(seeds)), failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
