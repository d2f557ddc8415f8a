"""Rounds: every case of every program in turn, as many times as the time allows."""
import time
from dataclasses import dataclass, field
from typing import Callable

NO_TIME = {"status": "skipped", "reason": "no time was left in this session"}
STEADY = ("not offered", "does not fit", "refused")  # will not change: recorded once more without asking


@dataclass
class Case:
    label: str
    run: Callable
    core: bool = True        # measured in every round; others in the first and in those that come after all core rounds
    base: bool = False       # what others are compared with: measured several times in a round
    more: dict = field(default_factory=dict)


def sequence(cases, full, every=6):
    """The order of one round: the bases first, again after every few others, and at the end."""
    bases, others = [c for c in cases if c.base], [c for c in cases if not c.base and (full or c.core)]
    again = [c for c in bases if c.label != "plain"] or bases
    order = list(bases)
    for start in range(0, len(others), every):
        order += others[start:start + every] + again
    return order


def measure(results, section, cases_of, seconds, least, most):
    """Measures `cases_of` {program: cases} for about `seconds`: at least `least` rounds, at most `most`.

    When a round takes more than twice the time, what is not core is recorded as skipped.
    """
    known, length = {}, {True: 0.0, False: 0.0}
    end = time.monotonic() + seconds
    for number in range(1, most + 1):
        full = number == 1 or number > 3
        expected = length[full] or (length[True] / 2 if number > 1 else 0)
        if number > least and time.monotonic() + expected > end:
            break
        start = time.monotonic()
        for program, cases in cases_of.items():
            for case in sequence(cases, full):
                key = (program, case.label)
                overdue = time.monotonic() > end + seconds and not case.core
                figures = known.get(key) or (dict(NO_TIME) if overdue else case.run())
                if figures["status"] in STEADY:
                    if key in known:
                        continue
                    known[key] = figures
                results.add(section, program, case.label, number, figures, **case.more)
        length[full] = time.monotonic() - start
