"""What was measured is read, and kept, through the same calls: when that fails the run goes on, to the same bits."""
import re
import shutil
import tempfile
import unittest
from pathlib import Path

import suite
from trials import LONG, Subject, Trial, happened, try_all

# At every operation, and at every call; an error of the run's own files is another test's.
FAULTS = ("eio", "eintr", "short", "zero-read", "enospc")
OF_THE_CACHE = re.compile(r"note: .*(cannot (read|keep) .*oocc-kept|oocc-kept\S* is damaged)")


class Kept(Subject):
    """Plans by what was measured, which is kept in a folder from one run on."""

    def __init__(self, name):
        super().__init__(name)
        self.kept = tempfile.mkdtemp(prefix="oocc-kept-")
        self.options[self.options.index("--probe") + 1] = "auto"
        for _ in range(3):  # what comes out otherwise each time, on a machine that is busy, is not kept
            for file in self.files():
                file.unlink()  # of loops that were told by other figures of the machine, nobody reads what was kept
            self.run("--probe", "now")
            if len(self.files()) == 3:
                break
        self.read = sum(self.reads(file) for file in self.files())

    def files(self):
        return list(Path(self.kept).iterdir())

    def run(self, *options):
        with Trial(self) as trial:
            return trial.run("--engine", "threads", *options, status=0, env={"OOCC_CACHE": self.kept})

    def reads(self, file):
        """Whether a run comes to this file: then it notes that it is damaged."""
        text = file.read_text()
        file.write_text("{")
        noted = bool(OF_THE_CACHE.search(self.run().stderr))
        file.write_text(text)
        return noted

    def close(self):
        shutil.rmtree(self.kept, ignore_errors=True)
        super().close()


def fail_at(subject, fault):
    with Trial(subject) as trial:
        done = trial.run("--engine", "threads", "--fault", fault, env={"OOCC_CACHE": subject.kept})
        wrong = trial.wrong_outputs() if done.returncode == 0 else []
        told = bool(OF_THE_CACHE.search(done.stderr))
        if happened(done)[0] == 0:
            result = "did not come to it"
        elif done.returncode == 0:
            result = "left out of account" if told else "passed over"
        else:
            result = "an error of the run's own"
            if told and not fault.startswith("enospc"):
                wrong = f"status {done.returncode} for what is no error"
    return result, f"{subject.name} --fault {fault}: {wrong}\n{done.stderr}" if wrong else None


class Cache(unittest.TestCase):
    def test_fails_and_the_run_goes_on(self):
        subject = Kept("ring")
        try:
            # What loops have shown is found by the machine's figures, so without these it is not read.
            self.assertTrue(subject.read == len(subject.files()) or not list(Path(subject.kept).glob("machine-*")), subject.files())
            if not subject.read:
                self.skipTest("this machine is too busy for measurements that can be kept")
            most = 400 if LONG else 24
            counter = try_all(fail_at, [(subject, f"{kind}@{k}:seed={k}") for kind in FAULTS for k in range(1, most + 1)])
        finally:
            subject.close()
        suite.leave_promise("a cache that fails is no error", counter)
        counter.check(self)
        # Of every file: it cannot be opened, cannot be read, is empty. (One that is not there cannot be opened, too.)
        self.assertGreaterEqual(counter.kinds.get("left out of account", 0), 3 * subject.read)


if __name__ == "__main__":
    unittest.main()
