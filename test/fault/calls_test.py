"""System calls that do less than they were asked for: what they leave is done by the next one, and nobody notices. One that
does nothing at all is an error.
"""
import unittest

import operations_test
import suite
from trials import LONG, Subject, Trial, happened, try_all

KINDS = ("short", "eintr", "eagain", "partial")
SEEDS = 60 if LONG else 4


def survive(subject, engine, kind, seed):
    every = (2, 3, 5, 11)[seed % 4]
    spec = f"{kind}:every={every},seed={seed}"
    with Trial(subject) as trial:
        done = trial.run("--engine", engine, "--fault", spec)
        if done.returncode != 0:
            return "wrong", f"{subject.name} {engine} --fault {spec}: status {done.returncode}\n{done.stderr}"
        if trial.wrong_outputs() or trial.leftovers():
            return "wrong", f"{subject.name} {engine} --fault {spec}: {trial.wrong_outputs()} {trial.leftovers()}"
        times = happened(done)[0]
    return "survived" if times else "did not come to it", None


class Calls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.subjects = [Subject("wave"), Subject("ring")]
        cls.engines = cls.subjects[0].engines()[0]

    @classmethod
    def tearDownClass(cls):
        for subject in cls.subjects:
            subject.close()

    def test_less_than_asked_for(self):
        cases = [(subject, engine, kind, seed) for subject in self.subjects for engine in self.engines
                 for kind in KINDS for seed in range(SEEDS)]
        counter = try_all(survive, cases)
        suite.leave_promise("short transfers, EAGAIN, EINTR and requests not taken change no bit", counter)
        counter.check(self)
        self.assertGreater(counter.kinds["survived"], len(cases) // 2)

    def test_nothing_at_all(self):
        subject, cases = self.subjects[0], []
        for engine in self.engines:
            for kind in ("zero-read", "zero-write"):
                with Trial(subject) as trial:
                    count = happened(trial.run("--engine", engine, "--fault", f"{kind}@{10 ** 9}", status=0))[1]
                step = 1 if LONG else max(1, count // 8)
                cases += [(subject, engine, kind, k, {65, 74}, []) for k in range(1, count + 1, step)]
        counter = try_all(operations_test.one, cases)
        suite.leave_promise("a transfer of nothing is an error that names file and place", counter)
        counter.check(self)


if __name__ == "__main__":
    unittest.main()
