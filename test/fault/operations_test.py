"""An error of the device at any one operation: the run ends with a message and a status, and what it says to do ends in
the same bits.
"""
import re
import unittest

import suite
from trials import LONG, Subject, Trial, happened, try_all

SPACED = ["--bt", "1", "--commit-every", "1000"]  # nothing is committed before the end
# The subjects, and the stage of their life at which an operation fails.
SUBJECTS = [("wave", []), ("wave", SPACED), ("cut", []), *([("ring", []), ("wave", ["--io-request", "4K"])] if LONG else [])]
MOST_CUT = 50   # operations that fail of each engine with columns, of ten times as many
NAMES_A_FILE = re.compile(r"error: .*(/|\.npy|\.csv|\.scratch|trace|gen\d|coef|manifest)")
NO_PLACE = re.compile(r"error: cannot (read|write) (?!.*(at byte \d+|to stable storage): ).*")


def judge(trial, done, engine, error_status, *args):
    """(what it came to, None or what is wrong) of a run in which one operation was to fail; goes on as it says."""
    if happened(done)[0] == 0:
        return "did not come to it", None if done.returncode == 0 else f"status {done.returncode} without a fault"
    if done.returncode == 0:
        # All had been done but to remove what is not needed any more, or another way was found.
        if not re.search("cannot (remove|wipe)|the state is committed instead", done.stderr) or trial.wrong_outputs():
            return "wrong", f"the fault was passed over; outputs {trial.wrong_outputs()}"
        return "noted", None
    if done.returncode not in error_status:
        return "wrong", f"status {done.returncode}"
    if not NAMES_A_FILE.search(done.stderr):
        return "wrong", "the message names no file"
    if NO_PLACE.search(done.stderr):
        return "wrong", "the message names no place"
    if not re.search(r"(help|note): .*(--resume|--restart|--scratch|same command|write it again)", done.stderr):
        return "wrong", "the message does not say what to do"
    again = trial.as_told(done, *(args or ["--engine", engine]))
    if again.returncode != 0:
        return "wrong", f"what it says to do ends with status {again.returncode}\n{again.stderr}"
    if trial.wrong_outputs():
        return "wrong", f"other bits: {trial.wrong_outputs()}"
    if trial.leftovers():
        return "wrong", f"it leaves {trial.leftovers()}"
    return "resumed" if "--resume goes on" in done.stderr else "begun again", None


def one(subject, engine, kind, k, statuses, options):
    with Trial(subject) as trial:
        done = trial.run("--engine", engine, *options, "--fault", f"{kind}@{k}")
        result = judge(trial, done, engine, statuses)
    if result[1]:
        return result[0], f"{subject.name} {engine} {kind}@{k}: {result[1]}\n{done.stderr}"
    return result


def after_a_kill(subject, engine, k):
    """Of a run that goes on from what was not committed."""
    with Trial(subject) as trial:
        trial.run("--engine", engine, *SPACED, "--kill-at", "recent:done:3", status=-9)
        done = trial.run("--engine", engine, *SPACED, "--resume", "--fault", f"eio@{k}")
        result = judge(trial, done, engine, {74})
    return result[0], f"{subject.name} {engine}, resumed, eio@{k}: {result[1]}\n{done.stderr}" if result[1] else None


class EveryOperation(unittest.TestCase):
    def every(self, kind, engines, statuses, promise, limit=None):
        cases, subjects = [], []
        for name, options in SUBJECTS:
            subject = Subject(name)
            subjects.append(subject)
            for engine in engines or subject.engines()[0]:
                with Trial(subject) as trial:
                    done = trial.run("--engine", engine, *options, "--fault", f"{kind}@{10 ** 9}", status=0)
                count = happened(done)[1]
                self.assertGreater(count, 10)
                most = limit or (MOST_CUT if name == "cut" else None)
                step = 1 if LONG or not most else max(1, count // most)
                which = {*range(1, min(6, count) + 1), *range(1, count + 1, step)}  # the first ones are of other files than most
                cases += [(subject, engine, kind, k, statuses, options) for k in sorted(which)]
        try:
            counter = try_all(one, cases)
        finally:
            for subject in subjects:
                subject.close()
        suite.leave_promise(promise, counter)
        counter.check(self)
        self.assertGreater(counter.kinds.get("resumed", 0), 0)
        self.assertGreater(counter.kinds.get("begun again", 0), 0)

    def test_an_error_at_every_operation(self):
        self.every("eio", None, {74}, "after an I/O error at any operation, what the message says ends in the same bits")

    def test_an_error_at_every_operation_after_a_kill(self):
        subject = Subject("wave")
        try:
            cases = []
            for engine in subject.engines()[0]:
                with Trial(subject) as trial:
                    trial.run("--engine", engine, *SPACED, "--kill-at", "recent:done:3", status=-9)
                    done = trial.run("--engine", engine, *SPACED, "--resume", "--fault", f"eio@{10 ** 9}", status=0)
                    self.assertEqual(trial.wrong_outputs(), [])
                cases += [(subject, engine, k) for k in range(1, happened(done)[1] + 1, 1 if LONG else 3)]
            counter = try_all(after_a_kill, cases)
        finally:
            subject.close()
        suite.leave_promise("after an I/O error of a run that goes on after kill -9, what the message says ends in the same bits", counter)
        counter.check(self)
        self.assertGreater(counter.kinds.get("resumed", 0), 0)

    def test_a_full_disk(self):
        self.every("enospc", None, {73}, "a disk that is full from any write on is said, and the run goes on later", 12)

    def test_a_quota(self):
        self.every("edquot", None, {73}, "a quota that is reached at any write is said, and the run goes on later", 8)


if __name__ == "__main__":
    unittest.main()
