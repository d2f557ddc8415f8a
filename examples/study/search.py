#!/usr/bin/env python3
"""Searches a folder of variants for the fastest one, without measuring all: what an adapter of a tuner does, in small.

A configuration is a value for every knob. manifest.json says which variant it is, or that it is none (a constraint forbids it,
or it is not legal), and `oocc study DIR --only NAME` evaluates it. What was measured before is not measured again.
"""
import argparse
import json
import os
import random
import subprocess
from pathlib import Path


class Problem:
    """What a tuner wants to know: the knobs, and the time that a configuration takes."""

    def __init__(self, folder, repeats):
        self.folder, self.repeats = folder, repeats
        manifest = json.loads((folder / "manifest.json").read_text())
        self.knobs = {knob["name"]: list(knob["values"]) for knob in manifest["space"]["knobs"]}
        self.names = {self.key(variant["knobs"]): variant["name"] for variant in manifest["variants"]}
        self.configurations = [variant["knobs"] for variant in manifest["variants"]]
        self.known = {}

    @staticmethod
    def key(configuration):
        return json.dumps(configuration, sort_keys=True)

    def evaluate(self, configuration):
        """Seconds, or None when it cannot be measured."""
        key = self.key(configuration)
        if key not in self.known:
            command = [os.environ.get("OOCC", "oocc"), "study", self.folder, "--only", self.names[key],
                       "--repeats", str(self.repeats)]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            self.known[key] = json.loads(done.stdout)
            print(done.stdout, end="", flush=True)
        return self.known[key]["seconds"]

    def neighbours(self, configuration):
        """Those that differ by one knob, moved by one value."""
        for name, values in self.knobs.items():
            if configuration[name] not in values:
                continue
            at = values.index(configuration[name])
            for near in values[max(0, at - 1):at] + values[at + 1:at + 2]:
                moved = {**configuration, name: near}
                if self.key(moved) in self.names:
                    yield moved


def random_search(problem, evaluations, chance):
    for configuration in chance.sample(problem.configurations, min(evaluations, len(problem.configurations))):
        problem.evaluate(configuration)


def hill_climb(problem, evaluations, chance):
    """From a random start to the first neighbour that is faster; where there is none, from another start."""
    while len(problem.known) < min(evaluations, len(problem.configurations)):
        here = chance.choice(problem.configurations)
        best = problem.evaluate(here)
        moved = True
        while moved:
            moved = False
            for near in problem.neighbours(here):
                if len(problem.known) >= evaluations:
                    return
                seconds = problem.evaluate(near)
                if seconds is not None and (best is None or seconds < best):
                    here, best, moved = near, seconds, True
                    break


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--search", choices=("random", "climb"), default="climb")
    parser.add_argument("--evaluations", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    problem = Problem(options.folder, options.repeats)
    search = random_search if options.search == "random" else hill_climb
    search(problem, options.evaluations, random.Random(options.seed))
    measured = [found for found in problem.known.values() if found["seconds"] is not None]
    print(json.dumps(min(measured, key=lambda found: found["seconds"])) if measured else "null")


main()
