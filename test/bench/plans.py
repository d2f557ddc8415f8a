#!/usr/bin/env python3
"""The plan space: every plan of a grid of bt, bz, ct and yt is run, and what the model predicted stands beside what it took.

Says how far the predictions are off, and how much longer the plan that the runtime chooses by itself takes than the best
one found. A plan that does not fit the budget, or that the program does not allow, is left out and counted. The
figures that the model goes by are measured first (--probe now), into a cache of the bench's own.

    test/bench/plans.py [--program heat3d] [-D n=256]... [--memory 64M] [--steps 48] [--schedule stream]
                        [--bt 8,16,24,48] [--bz 4,8,16,32] [--ct 4,8,16] [--yt 16,32,64] [--most N] [--repeat N]
                        [--finalists K --rounds N] [--tune SECONDS] [--threads N] [--engine NAME] [--scratch DIR]
                        [--build DIR] [--json FILE]

--most takes a sample of that many plans, the same one each time; a plan's time is the least of its repeats. The fastest of many runs on a noisy
machine was lucky, too: so the K fastest plans and the runtime's own then run N times more, by turns, and their medians are compared.
Nothing is judged here.
"""
import argparse
import itertools
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
KNOBS = ("bt", "bz", "ct", "yt")
REFUSED = (2, 71)


def say(text):
    print(text, file=sys.stderr, flush=True)


class Space:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.program = f"{folder}/program"
        source = options.program
        if not source.endswith(".stn"):
            source = f"{ROOT}/examples/{source}/{source}.stn"
        subprocess.run([f"{options.build}/bin/oocc", source, "--emit=exe", "-o", self.program], check=True)
        self.environment = {**os.environ, "OOCC_CACHE": f"{folder}/cache"}

    def run(self, *arguments):
        """The report of one run; None when the plan is refused."""
        options = self.options
        report = f"{self.folder}/report.json"
        command = [self.program, "--progress", "off", "--report", report, "--scratch", f"{self.folder}/scratch",
                   "--steps", str(options.steps), "--schedule", options.schedule, *arguments]
        for define in options.define:
            command += ["-D", define]
        for name in ("memory", "threads", "engine"):
            if getattr(options, name):
                command += [f"--{name}", str(getattr(options, name))]
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        shutil.rmtree(f"{self.folder}/scratch", ignore_errors=True)
        for name in os.listdir(self.folder):
            if name.endswith((".npy", ".raw")):
                os.unlink(f"{self.folder}/{name}")
        if done.returncode in REFUSED:
            return None
        if done.returncode:
            sys.exit(f"status {done.returncode}: {' '.join(command)}\n{done.stderr}")
        with open(report) as file:
            return json.load(file)

    def measure(self, label, *arguments):
        """{label, knobs, predicted, measured}; None when the plan is refused."""
        best, again = None, [argument for argument in arguments if argument not in ("--probe", "now")]
        for _ in range(self.options.repeat):
            report = self.run(*arguments)
            if report is None:
                return None
            plan, seconds = report["plan"], report["measured"]["pass_seconds"]
            if best is None or seconds < best["measured"]:
                best = {"label": label, "predicted": plan["predicted"]["seconds"], "measured": seconds,
                        "basis": plan["predicted"]["basis"], "bound": plan["predicted"]["bound"],
                        "wait_share": report["measured"]["wait_share"], "glups": report["measured"]["glups"],
                        "arguments": again, **{knob: plan[knob] for knob in KNOBS}}
        return best

    def plans(self):
        lists = [getattr(self.options, knob) for knob in KNOBS]
        every = [plan for plan in itertools.product(*lists) if plan[2] <= plan[0]]
        if self.options.most and len(every) > self.options.most:
            every = sorted(random.Random(1).sample(every, self.options.most))   # even steps would always meet the same yt
        return every


def error(row):
    return row["predicted"] / row["measured"] - 1


def show(row):
    print(f"  {row['label']:6} bt {row['bt']:4} bz {row['bz']:4} ct {row['ct']:3} yt {row['yt']:4}  predicted {row['predicted']:8.3f} s"
          f"  measured {row['measured']:8.3f} s  {100 * error(row):+6.1f}%  {row['glups']:6.3f} GLUP/s  waiting {100 * row['wait_share']:4.1f}%"
          f"  bound by {row['bound']}", flush=True)


def correlation(rows):
    """Of the logarithms: 1 when the model orders the plans as the clock does, at a constant ratio."""
    if len(rows) < 3:
        return math.nan
    try:
        return statistics.correlation([math.log(r["predicted"]) for r in rows], [math.log(r["measured"]) for r in rows])
    except statistics.StatisticsError:
        return math.nan


def summary(rows, chosen, refused):
    errors = sorted(abs(error(row)) for row in rows)
    best = min(rows + chosen, key=lambda row: row["measured"])
    result = {"plans": len(rows), "refused": refused, "median_error": statistics.median(errors),
              "p90_error": errors[min(len(errors) - 1, int(0.9 * len(errors)))], "worst_error": errors[-1],
              "within_15_percent": sum(e <= 0.15 for e in errors) / len(errors), "correlation": correlation(rows),
              "best_seconds": best["measured"],
              "over_best": {row["label"]: row["measured"] / best["measured"] - 1 for row in chosen}}
    print(f"\n{len(rows)} plans, {refused} refused. Error of the model: median {100 * result['median_error']:.1f}%, nine tenths within "
          f"{100 * result['p90_error']:.1f}%, worst {100 * result['worst_error']:.1f}%; {100 * result['within_15_percent']:.0f}% of the plans "
          f"within 15%; correlation {result['correlation']:.3f}")
    print("Best found:")
    show(best)
    for row in chosen:
        print(f"{row['label']} takes {100 * result['over_best'][row['label']]:.1f}% longer than the best, and is predicted {100 * error(row):+.1f}% off")
    return result


def finals(space, options, rows, chosen):
    """The fastest plans and those of the runtime, by turns: [{label, knobs, seconds of each round, median}]."""
    runs = [(row["label"], row, row["arguments"]) for row in sorted(rows, key=lambda row: row["measured"])[:options.finalists] + chosen]
    results = [{"label": label, **{knob: row[knob] for knob in KNOBS}, "seconds": []} for label, row, _ in runs]
    for _ in range(options.rounds):
        for result, (_, _, arguments) in zip(results, runs):
            result["seconds"].append(space.run(*arguments)["measured"]["pass_seconds"])
    for result in results:
        result["median"] = statistics.median(result["seconds"])
    best = min(result["median"] for result in results)
    print(f"\nBy turns, {options.rounds} rounds:")
    for result in results:
        result["over_best"] = result["median"] / best - 1
        print(f"  {result['label']:6} " + " ".join(f"{knob} {result[knob]:4}" for knob in KNOBS) + f"  median {result['median']:8.3f} s"
              f"  {100 * result['over_best']:+6.1f}%   (" + ", ".join(f"{s:.3f}" for s in result["seconds"]) + ")", flush=True)
    return results


def numbers(text):
    return [int(part) for part in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="heat3d", help="an example's name or a .stn file")
    parser.add_argument("-D", dest="define", action="append", default=[])
    parser.add_argument("--memory", default="64M")
    parser.add_argument("--steps", type=int, default=48)
    parser.add_argument("--schedule", default="stream")
    parser.add_argument("--bt", type=numbers, default=[8, 16, 24, 48])
    parser.add_argument("--bz", type=numbers, default=[4, 8, 16, 32])
    parser.add_argument("--ct", type=numbers, default=[4, 8, 16])
    parser.add_argument("--yt", type=numbers, default=[16, 32, 64])
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--finalists", type=int, default=3, help="with --rounds: so many of the fastest plans")
    parser.add_argument("--rounds", type=int, default=0, help="then run these, and the runtime's own plan, so many times by turns")
    parser.add_argument("--tune", type=float, default=0, help="also tune for so many seconds, and run what wins")
    parser.add_argument("--threads", default=None)
    parser.add_argument("--engine", default=None)
    parser.add_argument("--scratch", default=None, help="folder on the disk to measure (default: the build's)")
    parser.add_argument("--build", default=f"{ROOT}/build/release")
    parser.add_argument("--json", default=None)
    options = parser.parse_args()
    if not options.define and options.program == "heat3d":
        options.define = ["n=256"]
    parent = options.scratch or options.build
    try:
        os.makedirs(parent, exist_ok=True)
        folder = tempfile.mkdtemp(prefix="oocc-plans-", dir=parent)
    except OSError as problem:
        parser.error(f"cannot make a folder in {parent}: {problem.strerror}; --scratch DIR names another one")
    try:
        space = Space(options, folder)
        chosen = []
        first = space.measure("auto", "--probe", "now")
        if first is None:
            sys.exit("the budget is too small for any plan")
        if first["basis"] != "measured":
            say(f"the figures are {first['basis']}: the machine is busy, or the budget too small to measure")
        show(first)
        chosen.append(first)
        rows, refused = [], 0
        for plan in space.plans():
            row = space.measure("", *[text for knob, value in zip(KNOBS, plan) for text in (f"--{knob}", str(value))])
            if row is None:
                refused += 1
                continue
            rows.append(row)
            show(row)
        if options.tune:
            tuned = space.measure("tuned", "--tune", "--tune-seconds", str(options.tune))
            show(tuned)
            chosen.append(tuned)
        result = summary(rows, chosen, refused) if rows else None
        final = finals(space, options, rows, chosen) if rows and options.rounds else []
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"options": vars(options), "rows": rows, "chosen": chosen, "summary": result, "finals": final}, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
