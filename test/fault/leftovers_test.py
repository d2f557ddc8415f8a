"""An error while a run looks at what lies in its scratch: what cannot be read may be another run's, and is never discarded."""
import contextlib
import unittest

import device_test
from trials import Subject, Trial, happened

WAY = ["--engine", "threads"]


class Leftovers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.subject = Subject("wave")

    @classmethod
    def tearDownClass(cls):
        cls.subject.close()

    def run_over(self, trial, home, other, scratch, k):
        """A committed run in `other`, the beginning of one in `home`; a third one has an error at its k-th operation. How many it has."""
        trial.run(*WAY, "--scratch", other, "--kill-at", "commit:done:2", status=-9)
        if home:
            trial.run(*WAY, "--scratch", home, "--kill-at", "import:begin", status=-9)
        done = trial.run(*WAY, "--scratch", scratch, "--fault", f"eio@{k}")
        times, operations = happened(done)
        self.assertIn(done.returncode, (73, 74, 77) if times else (73,), f"eio@{k}: {done.stderr}")
        self.assertEqual(done.stderr.count("error: "), 1, f"eio@{k}: {done.stderr}")
        again = trial.run(*WAY, "--scratch", other, "--resume")
        self.assertEqual(again.returncode, 0, f"eio@{k}: {done.stderr}{again.stderr}")
        self.assertEqual(trial.wrong_outputs(), [], f"eio@{k}")
        return operations

    def every(self, home, other, scratch, clear=lambda: None):
        k, operations = 1, 1
        while k <= operations + 1:  # the last one meets no error
            clear()
            with Trial(self.subject) as trial:
                operations = max(operations, self.run_over(trial, home, other, scratch, k))
            k += 1
        self.assertGreater(k, 10)

    def test_one_directory(self):
        self.every(None, "s", "s")

    def test_directories(self):
        self.every("home", "other", "home,other")

    def test_devices(self):
        why = device_test.refusal()
        if why:
            self.skipTest(f"no loop devices here: {why}")
        with contextlib.ExitStack() as stack:
            home, other = (stack.enter_context(device_test.loop_device()) for _ in range(2))

            def clear():
                for device in (home, other):
                    device_test.fill(device, bytes(device_test.CLEARED))
            self.every(None, other, other, clear)
            self.every(home, other, f"{home},{other}", clear)


if __name__ == "__main__":
    unittest.main()
