"""Measures in rounds: every variant once in each, in a random order, so that a machine that changes its speed does so for all."""
import random
import sys
import time

from measure import now
from processes import uninterrupted


class Progress:
    def __init__(self, mode, total):
        self.total, self.done, self.spent, self.runs = total, 0, 0.0, 0
        self.terminal = sys.stderr.isatty() and mode != "off"
        self.shown = mode == "on" or (mode == "auto" and total > 0)
        self.last = 0.0

    def show(self, text, always=False):
        """One line, redrawn; where there is no terminal, a line now and then."""
        moment = time.monotonic()
        if not self.shown or not (always or self.terminal or moment - self.last >= 2):
            return
        self.last = moment
        if self.terminal:
            print(f"\r\x1b[K{text}"[:200], end="", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)

    def end(self):
        if self.shown and self.terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def built(self, count, total):
        self.show(f"study: {count} of {total} executables built", count == total and not self.terminal)

    def measured(self, seconds, round, rounds, text):
        self.spent, self.runs, self.done = self.spent + seconds, self.runs + 1, self.done + 1
        left = (self.total - self.done) * self.spent / self.runs
        self.show(f"study: round {round + 1} of {rounds}, {self.done} of {self.total} runs, about {duration(left)} left; {text}",
                  self.done == self.total and not self.terminal)

    def skipped(self, count):
        """What need not be run: it was refused, or failed, in the round before."""
        self.total -= count


def duration(seconds):
    seconds = round(seconds)
    if seconds < 60:
        return f"{seconds} s"
    return f"{seconds // 60} min {seconds % 60} s" if seconds < 3600 else f"{seconds // 3600} h {seconds % 3600 // 60} min"


class Records:
    """The journal's runs, by variant and executable."""

    def __init__(self, journal, builder):
        self.journal, self.builder, self.found = journal, builder, {}
        for entry in journal.entries:
            if "run" in entry:
                self.found.setdefault((entry["run"], entry["exe"]), []).append(entry)

    def of(self, variant):
        return self.found.get((variant.name, self.builder.key(variant)), [])

    def add(self, variant, round, entry):
        key = (variant.name, self.builder.key(variant))
        entry = {"run": variant.name, "round": round, "exe": key[1], **entry}
        with uninterrupted():
            self.journal.add(entry)
            self.found.setdefault(key, []).append(entry)

    def failed(self, variant):
        return any(entry["status"] != "done" for entry in self.of(variant))

    def due(self, variant, round):
        """A run that was refused, failed or took too long would do so again."""
        return not self.failed(variant) and all(entry["round"] != round for entry in self.of(variant))


def order(variants, seed, round):
    """The same for a seed and a round, however often the study is stopped in between."""
    mixed = sorted(variants, key=lambda variant: variant.name)
    random.Random(f"{seed} {round}").shuffle(mixed)
    return mixed


def measure(variants, records, builder, bench, options, arguments, progress):
    """Everything that is due."""
    for round in range(options.repeats):
        for variant in order(variants, options.seed, round):
            if not records.due(variant, round):
                continue
            entry = builder.built.get(builder.key(variant))
            began = time.monotonic()
            if entry and entry["status"] == "error":
                found = {"began": now(), "wall_seconds": 0, "status": "compile", "message": entry["message"]}
            else:
                found = bench.run(builder.path(variant), variant, arguments, options.timeout)
            records.add(variant, round, found)
            if found["status"] != "done":
                progress.skipped(options.repeats - 1 - round)
            text = f"{variant.name}: "
            text += f"{found['measured']['pass_seconds']:.4g} s" if found["status"] == "done" else found["status"]
            progress.measured(time.monotonic() - began, round, options.repeats, text)


def runs_due(variants, records, repeats):
    return sum(records.due(variant, round) for variant in variants for round in range(repeats))
