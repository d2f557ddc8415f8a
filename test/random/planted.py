#!/usr/bin/env python3
"""Plants bugs in the compiler and in the runtime, one at a time, and asks whether random programs find them.

    planted.py --check              whether every bug can still be planted: its text is there exactly once
    planted.py                      all of them, in a copy of the tree: builds what changes, runs programs until one fails
    planted.py --sample 10 --seed 3 ten of them, drawn
    planted.py --only "rings"       those with this in their names
    planted.py --programs 400       how many programs may try before a bug counts as missed
    planted.py --json F --go-on     those that F does not have yet

One bug after the other is built, while those that are built are tried, several at once (hunt.py). Beside random programs, the
schedules of `schedule_test` are tried, and what a bug itself names: those that only show when a device or a thread is late.
The share that was found is a promise in the results (docs/reliability.md).
"""
import argparse
import concurrent.futures
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]

import planted_compiler
import planted_runtime
import suite

TARGETS = ["oocc", "oocc_runtime", "schedule_test"]
ASKED = 0.95
OF_THE_COMPILER = 10        # times as many programs are drawn for its bugs, since few need be run
SCHEDULES = ("compiler/analysis/", "compiler/plan/")    # what schedule_test has a model of


class Bug:
    def __init__(self, name, path, old, new, *tests):
        self.name, self.path, self.old, self.new = name, path, old, new
        self.tests = [*(["schedule_test"] if path.startswith(SCHEDULES) else []), *tests]

    def problem(self, root):
        """Why it cannot be planted, or None."""
        count = (root / self.path).read_text().count(self.old)
        if count == 1 and self.old != self.new:
            return None
        return f"{self.name}: {self.path} has {count} times: {self.old}"


def bugs():
    return [Bug(*row) for row in planted_compiler.PLANTED + planted_runtime.PLANTED]


class Tree:
    """A copy of the tree with a build of its own."""

    def __init__(self, folder, jobs):
        self.folder, self.root, self.build, self.jobs = folder, folder / "wt", folder / "b", jobs
        files = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                               capture_output=True, text=True).stdout
        for name in filter(None, files.split("\0")):
            source, copy = ROOT / name, self.root / name
            if source.is_file() and not (copy.is_file() and copy.read_bytes() == source.read_bytes()):
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, copy)
                shutil.copymode(source, copy)
        launcher = [f"-DCMAKE_{x}_COMPILER_LAUNCHER=ccache" for x in ("C", "CXX")] if shutil.which("ccache") else []
        self.call(["cmake", "-S", self.root, "-B", self.build, "-DCMAKE_BUILD_TYPE=Release", *launcher])
        self.tests = sorted({test for bug in bugs() for test in bug.tests})
        if said := self.make(self.tests):
            raise SystemExit(f"the tree does not build as it is: {said}")
        shutil.rmtree(folder / "tried", ignore_errors=True)
        self.sound = self.copy("sound", [])

    def call(self, command, timeout=None, **environment):
        return subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=timeout, env={**os.environ, "OOCC_RESULTS": "", **environment})  # what fails on purpose is not counted

    def make(self, more=()):
        """None, or what the build complained about."""
        # The text of a bug comes and goes: ccache still has what was compiled of the sound one.
        done = self.call(["cmake", "--build", self.build, f"-j{self.jobs}", "--target", *TARGETS, *more],
                         CCACHE_BASEDIR=str(self.folder), CCACHE_NOHASHDIR="1")
        return (done.stdout + done.stderr)[-1500:] if done.returncode else None

    def copy(self, name, tests):
        """What was built, in a folder of its own, as it is installed."""
        place = self.folder / "tried" / name
        (place / "bin").mkdir(parents=True)
        (place / "lib").mkdir()
        for test in ["oocc", *tests]:
            shutil.copy2(self.build / "bin" / test, place / "bin")
        shutil.copy2(self.build / "lib/liboocc_runtime.a", place / "lib")
        shutil.copytree(self.build / "include", place / "include")
        return place

    def planted(self, bug, name):
        """The folder of an oocc with the bug; None and what was said where it does not build."""
        path = self.root / bug.path
        kept = path.read_text()
        path.write_text(kept.replace(bug.old, bug.new))
        try:
            said = self.make(bug.tests)
            return (None, said) if said else (self.copy(name, bug.tests), "")
        finally:
            path.write_text(kept)

    def found_by(self, bug, place, options):
        """Who found it, and what was said; None when nobody did."""
        for test in bug.tests:
            try:
                done = self.call([place / "bin" / test, "--gtest_brief=1", "--gtest_fail_fast"], timeout=580)
            except subprocess.TimeoutExpired:
                return test, {"wrong": "it does not end"}
            if done.returncode:
                return test, {"wrong": next((line for line in done.stdout.splitlines() if "FAILED" in line), f"status {done.returncode}")}
        return self.hunted(bug, place, options)

    def hunted(self, bug, place, options):
        compiler = bug.path.startswith("compiler/")     # of most programs it makes the same C
        how = [*(["--changed"] if compiler else []), *(["--as-drawn"] if bug.path.startswith("cmake/") else [])]
        drawn = options.programs * (OF_THE_COMPILER if compiler else 1)
        done = self.call([sys.executable, HERE / "hunt.py", "--oocc", place / "bin/oocc", "--sound", self.sound / "bin/oocc", "--kept",
                          self.folder / "kept", "--base", options.base, "--programs", drawn, *how],
                         OOCC_RANDOM_SECONDS="30", OOCC_CACHE=str(place / "cache"))
        if done.returncode:
            raise SystemExit(f"{bug.name}: the random programs could not be run: {done.stdout[-500:]}{done.stderr[-2000:]}")
        said = json.loads(done.stdout.splitlines()[-1])
        return "random programs" if said["seed"] is not None else None, said


class Outcomes:
    """What became of each bug, printed and written down as it is known."""

    def __init__(self, path, go_on):
        self.path, self.lock = path, threading.Lock()
        self.all = json.loads(path.read_text()) if go_on and path and path.exists() else []

    def add(self, bug, by, said, seconds):
        with self.lock:
            self.all.append({"bug": bug.name, "file": bug.path, "by": by, "seconds": round(seconds), **said})
            if self.path:
                self.path.write_text(json.dumps(self.all, indent=1) + "\n")
        verdict = "FAILED" if by == "build" else "found " if by else "MISSED"
        tried = f"{said['programs']} of {said['drawn']} programs, {said['runs']} runs" if "runs" in said else ""
        print(f"{verdict} {bug.name}: {by or 'nobody'} ({seconds:.0f} s) {tried} {said.get('wrong', '')[:150]!r}", flush=True)

    def found(self):
        return [o for o in self.all if o["by"] not in (None, "build")]


def try_bug(tree, bug, place, options, outcomes, began):
    by, said = tree.found_by(bug, place, options)
    outcomes.add(bug, by, said, time.monotonic() - began)
    shutil.rmtree(place)


def check():
    problems = [problem for bug in bugs() if (problem := bug.problem(ROOT))]
    names = [bug.name for bug in bugs()]
    problems += [f"{name}: two bugs have this name" for name in {n for n in names if names.count(n) > 1}]
    print("\n".join(problems) if problems else f"{len(names)} bugs can be planted")
    suite.leave_counts(len(names) - len(problems), len(problems))
    return 1 if problems else 0


def try_all(tree, chosen, options, outcomes):
    """Builds one bug after the other and has each tried; how many were begun."""
    waiting, started = [], time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for number, bug in enumerate(chosen):
            while sum(not job.done() for job in waiting) > 2 * options.jobs:    # a few are built ahead
                time.sleep(0.2)
            if options.minutes and time.monotonic() - started > 60 * options.minutes:
                print(f"{len(chosen) - number} bugs were not tried")
                break
            if problem := bug.problem(tree.root):
                raise SystemExit(problem)
            began = time.monotonic()
            place, said = tree.planted(bug, f"{number}")
            if place:
                waiting.append(pool.submit(try_bug, tree, bug, place, options, outcomes, began))
            else:
                outcomes.add(bug, "build", {"wrong": said}, time.monotonic() - began)
        for job in waiting:
            job.result()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only whether each can be planted")
    parser.add_argument("--sample", type=int, help="so many, drawn with --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="those with this in their names")
    parser.add_argument("--programs", type=int, default=200, help="ten times as many of a bug of the compiler, where those of which it makes the same C are not run")
    parser.add_argument("--base", type=int, default=1, help="seed of the first program")
    parser.add_argument("--jobs", type=int, default=2, help="bugs that are tried at once")
    parser.add_argument("--minutes", type=float, help="begin no other bug after so long; those that were not tried do not count")
    parser.add_argument("--folder", type=Path, help="of the copy, which is kept")
    parser.add_argument("--json", type=Path, help="what became of each, written as it goes on")
    parser.add_argument("--go-on", action="store_true", help="leave out those that the file of --json has")
    options = parser.parse_args()
    if options.check:
        return check()
    outcomes = Outcomes(options.json, options.go_on)
    done = {o["bug"] for o in outcomes.all}
    chosen = [bug for bug in bugs() if options.only in bug.name and bug.name not in done]
    chosen = random.Random(options.seed).sample(chosen, min(options.sample or len(chosen), len(chosen)))
    temporary = None if options.folder else tempfile.TemporaryDirectory(prefix="planted-")
    tree = Tree(options.folder or Path(temporary.name), options.jobs)
    try_all(tree, chosen, options, outcomes)
    found, tried = len(outcomes.found()), len(outcomes.all)
    print(f"{found} of {tried} planted bugs found")
    suite.leave_promise("a bug that is planted in the compiler or the schedule is found", tried, tried - found)
    if temporary:
        temporary.cleanup()
    return 0 if found >= ASKED * tried else 1


if __name__ == "__main__":
    sys.exit(main())
