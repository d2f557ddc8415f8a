#!/usr/bin/env python3
"""Plants bugs in the compiler and in the runtime, one at a time, and asks whether random programs find them.

    planted.py --check              whether every bug can still be planted: its text is there exactly once
    planted.py                      all of them, in a copy of the tree: builds what changes, runs programs until one fails
    planted.py --sample 10 --seed 3 ten of them, drawn
    planted.py --only "rings"       those with this in their names
    planted.py --programs 400       how many programs may try before a bug counts as missed

Beside random programs, the schedules of `schedule_test` are tried, and what a bug itself names: those that only show when
a device or a thread is late. The share that was found is a promise in the results (docs/reliability.md).
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
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


class Bug:
    def __init__(self, name, path, old, new, *tests):
        self.name, self.path, self.old, self.new, self.tests = name, path, old, new, list(tests)

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
        self.root, self.build, self.jobs = folder / "tree", folder / "build", jobs
        files = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                               capture_output=True, text=True).stdout
        for name in filter(None, files.split("\0")):
            source, copy = ROOT / name, self.root / name
            if source.is_file() and not (copy.is_file() and copy.read_bytes() == source.read_bytes()):
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, copy)
                shutil.copymode(source, copy)
        launcher = [f"-DCMAKE_{x}_COMPILER_LAUNCHER=ccache" for x in ("C", "CXX")] if shutil.which("ccache") else []
        self.call(["cmake", "-S", self.root, "-B", self.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", *launcher])
        if self.make(sorted({test for bug in bugs() for test in bug.tests})):
            raise SystemExit("the tree does not build as it is")

    def call(self, command, timeout=None, **environment):
        return subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=timeout, env={**os.environ, **environment})

    def make(self, more=()):
        """None, or what the build complained about."""
        done = self.call(["ninja", f"-j{self.jobs}", "-C", self.build, *TARGETS, *more])
        return done.stdout[-1500:] if done.returncode else None

    def found_by(self, bug, options):
        """Who found it, and what was said; (None, "") when nobody did."""
        broken = self.make(bug.tests)
        if broken:
            return "build", broken
        model = [] if bug.path.startswith("runtime/") else ["schedule_test"]    # of the compiler's schedules alone
        for test in [*model, *bug.tests]:
            try:
                done = self.call([self.build / "bin" / test, "--gtest_brief=1"], timeout=240)
            except subprocess.TimeoutExpired:
                return test, "it does not end"
            if done.returncode:
                return test, next((line for line in done.stdout.splitlines() if "FAILED" in line), f"status {done.returncode}")
        return self.programs(options)

    def programs(self, options):
        done = self.call([sys.executable, self.root / "test/random/run.py", "--base", options.base, "--programs", options.programs, "--oracle", 0,
                          "--jobs", self.jobs, "--stop", "--as-drawn"], OOCC=str(self.build / "bin/oocc"), OOCC_RESULTS="", OOCC_RANDOM_SECONDS="30",
                         OOCC_FAILURES=str(self.build / "failures"))
        said = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
        if done.returncode and not said:
            raise SystemExit(f"the random programs could not be run: {done.stderr[-2000:]}")
        return ("random programs", said[0]) if said else (None, "")

    def plant(self, bug):
        path = self.root / bug.path
        kept = path.read_text()
        path.write_text(kept.replace(bug.old, bug.new))
        return lambda: path.write_text(kept)


def check():
    problems = [problem for bug in bugs() if (problem := bug.problem(ROOT))]
    names = [bug.name for bug in bugs()]
    problems += [f"{name}: two bugs have this name" for name in {n for n in names if names.count(n) > 1}]
    print("\n".join(problems) if problems else f"{len(names)} bugs can be planted")
    suite.leave_counts(len(names) - len(problems), len(problems))
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only whether each can be planted")
    parser.add_argument("--sample", type=int, help="so many, drawn with --seed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="those with this in their names")
    parser.add_argument("--programs", type=int, default=150)
    parser.add_argument("--base", type=int, default=1, help="seed of the first program")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, help="begin no other bug after so long; those that were not tried do not count")
    parser.add_argument("--trust", action="store_true", help="do not run the programs first without a bug: they passed a moment ago")
    parser.add_argument("--folder", type=Path, help="of the copy, which is kept")
    parser.add_argument("--json", type=Path, help="what became of each, written as it goes on")
    options = parser.parse_args()
    if options.check:
        return check()
    chosen = [bug for bug in bugs() if options.only in bug.name]
    chosen = random.Random(options.seed).sample(chosen, min(options.sample or len(chosen), len(chosen)))
    temporary = None if options.folder else tempfile.TemporaryDirectory(prefix="planted-")
    tree = Tree(options.folder or Path(temporary.name), options.jobs)
    if not options.trust and (wrong := tree.programs(options)[1]):
        raise SystemExit(f"without a bug, too: {wrong}")
    found, outcomes, started = [], [], time.monotonic()
    for number, bug in enumerate(chosen):
        if options.minutes and time.monotonic() - started > 60 * options.minutes:
            print(f"{len(chosen) - number} bugs were not tried")
            chosen = chosen[:number]
            break
        if problem := bug.problem(tree.root):
            print(f"FAILED {problem}", flush=True)
            continue
        began, undo = time.monotonic(), tree.plant(bug)
        try:
            by, said = tree.found_by(bug, options)
        finally:
            undo()
        seconds = time.monotonic() - began
        if by == "build":
            print(f"FAILED {bug.name}: does not build\n{said}", flush=True)
        else:
            found += [bug] if by else []
            print(f"{'found ' if by else 'MISSED'} {bug.name}: {by or 'nobody'} ({seconds:.0f} s) {said[:150]}", flush=True)
        outcomes.append({"bug": bug.name, "file": bug.path, "by": by, "said": said[:300], "seconds": round(seconds)})
        if options.json:
            options.json.write_text(json.dumps(outcomes, indent=1) + "\n")
    print(f"{len(found)} of {len(chosen)} planted bugs found")
    suite.leave_promise("a bug that is planted in the compiler or the schedule is found", len(chosen), len(chosen) - len(found))
    if temporary:
        temporary.cleanup()
    return 0 if len(found) >= ASKED * len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
