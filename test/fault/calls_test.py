"""System calls that do less than they were asked for: what they leave is done by the next one, and nobody notices. One that
does nothing at all is an error.
"""
import re
import unittest

import operations_test
import suite
from trials import LONG, Subject, Trial, happened, try_all

KINDS = ("short", "eintr", "eagain", "partial")
SEEDS = 60 if LONG else 4
# Engines that hand requests to the kernel may find it busy; mapped memory is copied, which nothing interrupts.
HAPPENS = {("uring", kind) for kind in KINDS} | {("aio", kind) for kind in KINDS} | {
    ("threads", "short"), ("threads", "eintr"), ("threads", "eagain"), ("mmap", "short"), ("mmap", "eintr")}


def every(kind, seed):
    return f"{kind}:every={(2, 3, 5, 11)[seed % 4]},seed={seed}"


def survive(subject, engine, spec):
    with Trial(subject) as trial:
        done = trial.run("--engine", engine, "--fault", spec)
        if done.returncode != 0:
            return "wrong", f"{subject.name} {engine} --fault {spec}: status {done.returncode}\n{done.stderr}"
        if trial.wrong_outputs() or trial.leftovers():
            return "wrong", f"{subject.name} {engine} --fault {spec}: {trial.wrong_outputs()} {trial.leftovers()}"
        times = happened(done)[0]
    return f"{engine} {re.match('[a-z]*', spec)[0]}" if times else "did not come to it", None


def calls_of(subject, engine, kind):
    """How many calls there are that this kind can happen to."""
    with Trial(subject) as trial:
        return happened(trial.run("--engine", engine, "--fault", f"{kind}@{10 ** 9}", status=0))[1]


def some(count, most):
    """The first twenty, which are those that read inputs, and some of the others."""
    return range(1, count + 1) if LONG else sorted({*range(1, min(20, count) + 1), *range(1, count + 1, max(1, count // most))})


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.subjects = [Subject("wave"), Subject("ring"), Subject("cut")]
        cls.engines = cls.subjects[0].engines()[0]

    @classmethod
    def tearDownClass(cls):
        for subject in cls.subjects:
            subject.close()

    def test_less_than_asked_for(self):
        cases = [(subject, engine, every(kind, seed)) for subject in self.subjects for engine in self.engines
                 for kind in KINDS for seed in range(SEEDS)]
        for engine, kind in HAPPENS:
            if engine in self.engines:
                count = calls_of(self.subjects[0], engine, kind)
                cases += [(self.subjects[0], engine, f"{kind}@{k}:seed={k}") for k in some(count, 10)]
        counter = try_all(survive, cases)
        suite.leave_promise("short transfers, EAGAIN, EINTR and requests not taken change no bit", counter)
        counter.check(self)
        self.assertEqual({(engine, kind) for engine, kind in HAPPENS if engine in self.engines},
                         {tuple(came.split()) for came in counter.kinds if came != "did not come to it"})

    def test_nothing_at_all(self):
        subject, cases = self.subjects[0], []
        for engine in self.engines:
            for kind in ("zero-read", "zero-write"):
                count = calls_of(subject, engine, kind)
                cases += [(subject, engine, kind, k, {65, 74}, []) for k in some(count, 8)]
        counter = try_all(operations_test.one, cases)
        suite.leave_promise("a transfer of nothing is an error that names file and place", counter)
        counter.check(self)

    def test_what_an_engine_is_refused(self):
        """EIO from the kernel itself, in the middle of whatever an engine does with requests."""
        subject, cases = self.subjects[0], []
        for engine in self.engines:
            for kind in ("fail-read", "fail-write", "fail-sync"):
                count = calls_of(subject, engine, kind)
                self.assertGreater(count, 2, (engine, kind))
                cases += [(subject, engine, kind, k, {74}, []) for k in
                          (range(1, count + 1) if LONG else range(1, count + 1, max(1, count // 12)))]
        counter = try_all(operations_test.one, cases)
        suite.leave_promise("after an I/O error of the kernel in any transfer or sync of an engine, what the message says ends "
                            "in the same bits", counter)
        counter.check(self)
        self.assertGreater(counter.kinds.get("resumed", 0), 0)


if __name__ == "__main__":
    unittest.main()
