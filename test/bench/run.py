#!/usr/bin/env python3
"""The benchmark: one run prints a table and, with --json FILE, everything that was measured.

For every program it compares, in one session and round by round, so that a machine that changes its speed changes all
of them alike:

    plain       the OpenMP loop nest a person writes, everything in memory (plain/*.c, same compiler and flags)
    resident    oocc, everything in memory
    stream Nx   oocc, state and coefficients N times larger than --memory, by aio and by mmap
    sweep       oocc without temporal blocking, state 4 times larger than --memory, by mmap

Everything but the first two runs inside a memory cgroup of a quarter more than its budget: otherwise the page cache
would serve what is said to come from the disk. Figures are of the passes, without import and export; each ratio is of
figures from one round, and the median over the rounds is shown. Nothing is judged here.

    test/bench/run.py [--size N] [--rounds N] [--programs heat7,heat19,heat27,wave] [--factors 4,8,16]
                      [--only plain,resident,aio,mmap,sweep] [--scratch DIR] [--build DIR] [--json FILE]
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test", "support"))
import memory_limit  # noqa: E402

PROGRAMS = {"heat7": "heat3d", "heat19": "heat3d_19pt", "heat27": "heat3d_27pt", "wave": "wave3d"}
CFLAGS = ["-std=c11", "-O3", "-march=native", "-fopenmp", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"]


def say(text):
    print(text, file=sys.stderr, flush=True)


def run(command, limit=None, cwd=None):
    done = memory_limit.run_limited(limit, command, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        say(f"failed with status {done.returncode}: {' '.join(command)}\n{done.stderr}")
    return done


class Bench:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.limited = memory_limit.available()
        if not self.limited:
            say("no memory cgroup can be made here: the page cache will hide what mmap costs")

    def build(self, name):
        plain, program = f"{self.folder}/plain_{name}", f"{self.folder}/{name}"
        subprocess.run(["cc", *CFLAGS, f"{HERE}/plain/{name}.c", "-o", plain], check=True)
        source = f"{ROOT}/examples/{PROGRAMS[name]}/{PROGRAMS[name]}.stn"
        subprocess.run([f"{self.options.build}/bin/oocc", source, "--emit=exe", "-o", program], check=True)
        return plain, program

    def plan(self, program, *arguments):
        done = run([program, "-D", f"n={self.options.size}", "--plan", "--json", *arguments])
        return json.loads(done.stdout) if done.returncode == 0 else None

    def measure(self, program, steps, *arguments, budget=None):
        """One run of the generated program; its report, or None."""
        report = f"{self.folder}/report.json"
        limit = None
        command = [program, "-D", f"n={self.options.size}", "--steps", str(steps), "--progress", "off",
                   "--report", report, "--scratch", f"{self.folder}/scratch", *arguments]
        if budget is not None:
            command += ["--memory", str(budget)]
            limit = budget + budget // 4 if self.limited else None
        done = run(command, limit, cwd=self.folder)
        shutil.rmtree(f"{self.folder}/scratch", ignore_errors=True)
        for name in os.listdir(self.folder):
            if name.endswith(".npy"):
                os.unlink(f"{self.folder}/{name}")
        if done.returncode:
            return None
        with open(report) as file:
            return json.load(file)

    def figures(self, report):
        measured = report["measured"]
        return {"glups": measured["glups"], "read_bytes": measured["read_bytes"], "write_bytes": measured["write_bytes"],
                "planned_read_bytes": report["plan"]["read_bytes"], "planned_write_bytes": report["plan"]["write_bytes"],
                "wait_share": measured["wait_share"], "peak_bytes": measured["peak_bytes"],
                "budget_bytes": report["plan"]["budget_bytes"],
                "seconds": measured["pass_seconds"], "steps": measured["steps"], "hash": measured["result_hash"],
                "plan": {key: report["plan"][key] for key in ("schedule", "engine", "bt", "bz", "ct", "tiles")}}

    def cases(self, name, plain, program):
        """(label, function that measures it) in the order of one round."""
        options = self.options
        grid = self.plan(program)["grid"]
        state_bytes = grid["state_bytes"] + grid["coef_bytes"]

        def run_plain():
            done = run([plain, str(options.size), str(options.plain_steps)])
            return json.loads(done.stdout) if done.returncode == 0 else None

        def run_oocc(steps, *arguments, factor=None):
            budget = state_bytes // factor if factor else None
            report = self.measure(program, steps, *arguments, budget=budget)
            return self.figures(report) if report else None

        def stream(engine, factor):
            plan = self.plan(program, "--schedule", "stream", "--engine", engine, "--steps", "1000",
                             "--memory", str(state_bytes // factor))
            if plan is None:
                return None
            return run_oocc(plan["plan"]["bt"] * options.passes, "--schedule", "stream", "--engine", engine, factor=factor)

        cases = [("plain", "plain", run_plain),
                 ("resident", "resident", lambda: run_oocc(options.resident_steps, "--schedule", "resident"))]
        for factor in options.factors:
            for engine in ("aio", "mmap"):
                cases.append((f"stream {factor}x {engine}", engine, lambda e=engine, f=factor: stream(e, f)))
        cases.append(("sweep 4x mmap", "sweep",
                      lambda: run_oocc(2, "--schedule", "sweep", "--engine", "mmap", factor=4)))
        return [(label, function) for label, group, function in cases if group in options.only]

    def program(self, name):
        say(f"{name}: building")
        plain, program = self.build(name)
        cases = self.cases(name, plain, program)
        results = {label: [] for label, _ in cases}
        for number in range(self.options.rounds):
            for label, function in cases:
                figures = function()
                results[label].append(figures)
                speed = f"{figures['glups']:.3f} GLUP/s" if figures else "failed"
                say(f"{name}: round {number + 1}, {label}: {speed}")
        return results


def median(values):
    return statistics.median(values) if values else None


def ratio_to(results, label, base):
    pairs = zip(results[label], results.get(base, []))
    return median([a["glups"] / b["glups"] for a, b in pairs if a and b])


def show(name, results, size):
    print(f"\n{name}, {size}^3")
    print(f"  {'':18} {'GLUP/s':>8} {'/plain':>7} {'/resident':>9} {'waiting':>8} {'read':>10} {'written':>10} "
          f"{'peak':>9} {'budget':>9}  bt/bz/ct/tiles")
    for label, rounds in results.items():
        good = [figures for figures in rounds if figures]
        if not good:
            print(f"  {label:18} failed")
            continue
        last = good[-1]
        cells = [f"{median([f['glups'] for f in good]):8.3f}"]
        for base, width in (("plain", 7), ("resident", 9)):
            value = ratio_to(results, label, base)
            cells.append(f"{value:{width}.2f}" if value else " " * width)
        if "wait_share" in last:
            cells.append(f"{100 * median([f['wait_share'] for f in good]):7.1f}%")
            for key, width in (("read_bytes", 10), ("write_bytes", 10), ("peak_bytes", 9), ("budget_bytes", 9)):
                cells.append(f"{last[key] / 2**30:{width - 2}.2f} G")
            plan = last["plan"]
            cells.append(f" {plan['bt']}/{plan['bz']}/{plan['ct']}/{plan['tiles']}")
        print(f"  {label:18} " + " ".join(cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=512, help="cells along each edge of the cube (default 512)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--passes", type=int, default=2, help="passes of each streamed run")
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--factors", default="4,8,16", help="how many times larger the state is than --memory")
    parser.add_argument("--only", default="plain,resident,aio,mmap,sweep")
    parser.add_argument("--plain-steps", type=int, default=16)
    parser.add_argument("--resident-steps", type=int, default=64)
    parser.add_argument("--scratch", default=None, help="folder on the disk to measure (default: the build's)")
    parser.add_argument("--build", default=f"{ROOT}/build/release")
    parser.add_argument("--json", default=None)
    options = parser.parse_args()
    options.factors = [int(factor) for factor in options.factors.split(",")]
    options.only = options.only.split(",")
    folder = tempfile.mkdtemp(prefix="oocc-bench-", dir=options.scratch or options.build)
    everything = {}
    try:
        bench = Bench(options, folder)
        for name in options.programs.split(","):
            everything[name] = bench.program(name)
            show(name, everything[name], options.size)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"size": options.size, "rounds": options.rounds, "cores": os.cpu_count(),
                       "memory_cgroup": bench.limited, "results": everything}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
