"""SIGINT, SIGTERM, SIGHUP: the run ends with 75 within seconds and says what is safe; nobody who stops reading loses anything."""
import os
import random
import re
import signal
import subprocess
import time
import unittest

import options
import suite
from programs import Failure
from world import ENGINES, IN_MEMORY, SHAPES, Folder, stopped, try_all, world

STREAM = [*SHAPES["stream"], "--engine", "aio"]
# One pass that takes minutes: all steps of a grid that is resident, on disk.
LONG_PASS = ["--schedule", "resident", "--engine", "mmap", "--commit-every", "0", "-D", "n=400", "--steps", "200000", "--bz", "2"]
SECONDS = 10


def default_signals():
    """Whoever started the tests may have ignored some."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def run(folder, *args, **more):
    return folder.run(*args, preexec_fn=default_signals, **more)


def start(folder, *args, **more):
    return folder.start(*args, preexec_fn=default_signals, **more)


def seconds_of(process, number):
    """How long the process goes on after a signal, and what it says."""
    began = time.monotonic()
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    return time.monotonic() - began, said


def wait_for(condition, seconds=30):
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            raise AssertionError(f"not within {seconds} s")
        time.sleep(0.005)


def catches(process, number):
    """Whether it has come so far as to have a handler: before that a signal ends it as any program."""
    with open(f"/proc/{process.pid}/status") as file:
        return int(re.search(r"SigCgt:\s*(\w+)", file.read())[1], 16) >> number - 1 & 1


class Stopped(unittest.TestCase):
    POINTS = ("create:file:1", "import:chunk:1", "import:done", "pass:slab:1", "pass:slab:9", "commit:synced:2", "export:planes:3",
              "record:copied")

    def cases(self):
        """Some points and instants, or every label and many instants; every schedule and engine."""
        generator, signals = random.Random(options.SEED), ("TERM", "INT", "HUP")
        for way in (STREAM, [*SHAPES["overlap"], "--engine", "mmap"]):
            yield from ((name, f"{name}@{point}", way) for name in signals for point in self.POINTS)
        ways = [[*shape, "--engine", engine] for shape in SHAPES.values() for engine in ENGINES]
        if options.LONG:
            yield from ((name, f"{name}@{label}:{generator.randint(1, 5)}", generator.choice(ways))
                        for name in signals for label in world().labels for _ in range(4))
        for i in range(options.SIGNALS):
            yield signals[i % 3], generator.uniform(0.0, 0.06), ways[i % len(ways)]

    def test_everywhere_and_gone_on_with(self):
        counter = try_all(self.guarded, list(self.cases()))
        suite.leave_promise("stopped by a signal, a run ends with 75 and goes on to the same bits", counter)
        self.assertFalse(counter.failed, "\n".join(counter.failed[:5]))

    def guarded(self, name, at, way):
        where = f"{name} after {at:.4f} s" if isinstance(at, float) else at
        try:
            wrong = self.stopped(getattr(signal, f"SIG{name}"), at, way)
        except Failure as failure:
            wrong = failure
        return name, wrong and f"{where}, {' '.join(way)}: {wrong}"

    @staticmethod
    def signalled(folder, number, at, way):
        """(status, seconds, what it says) of a run that gets a signal: at a label, or after a number of seconds."""
        if isinstance(at, float):
            process = start(folder, *way, "--scratch", "s")
            time.sleep(at)
            took, said = seconds_of(process, number)
            return process.returncode, took, said
        began = time.monotonic()
        done = run(folder, *way, "--scratch", "s", "--kill-at", at)
        return done.returncode, time.monotonic() - began, done.stderr

    def stopped(self, number, at, way):
        with Folder() as folder:
            status, took, said = self.signalled(folder, number, at, way)
            if status == 0:  # too late to matter: everything is there
                wrong = folder.wrong() or folder.left("s")
                return wrong and f"ended well, but {wrong}"
            if isinstance(at, float) and status == -number:  # before it had looked at its options, as any program
                there = [p.name for p in folder.path.iterdir()]
                return f"killed, and left {there}: {said}" if there or said else None
            if status != 75 or took > SECONDS:
                return f"status {status} after {took:.1f} s: {said}"
            if not re.search("stopped by SIG|stopped: nothing had begun yet", said):
                return f"does not say what stopped it: {said}"
            if "is safe in s" in said:
                run(folder, *way, "--scratch", "s", "--resume", status=0)
            elif "nothing is kept" in said and not (folder.path / "s").exists():
                run(folder, *way, "--scratch", "s", status=0)
            else:
                return f"what is left is not what it says: {said}"
            return folder.wrong() or folder.left("s")

    def test_says_the_level_that_is_safe(self):
        with Folder() as folder:
            done = run(folder, *STREAM, "--kill-at", "TERM@commit:done:3", status=75)
            self.assertRegex(done.stderr, r"level 4 of 13 is safe in shot\.scratch: the same command with --resume goes on")
            self.assertNotIn("given up", done.stderr)

    def test_a_pass_that_takes_long_is_given_up(self):
        with Folder(world().plain.exe) as folder:
            began = time.monotonic()
            done = run(folder, *LONG_PASS, "--kill-at", "INT@pass:slab:4", status=75)
            self.assertLess(time.monotonic() - began, SECONDS)
            self.assertRegex(done.stderr, r"from level 0 to \d+ was under way: \d+\.\d s of work on it are given up")
            self.assertRegex(done.stderr, r"level 0 of 200000 is safe")

    def test_a_pass_that_is_soon_done_is_finished(self):
        with Folder() as folder:
            done = run(folder, *STREAM, "--kill-at", "TERM@pass:slab:2", status=75)
            self.assertIn("level 3 of 13 is safe", done.stderr)

    def test_nothing_on_disk_is_said(self):
        with Folder() as folder:
            for point in ("import:begin", "pass:slab:3", "export:begin"):
                done = run(folder, *IN_MEMORY, "--kill-at", f"TERM@{point}", status=75)
                self.assertIn("nothing can be resumed", done.stderr)
                self.assertIn("--keep", done.stderr)
                self.assertIsNone(folder.left())
                self.assertNotIn("end.npy", folder.results())

    def test_a_second_signal_ends_at_once(self):
        """While a pass is being finished, which stands still there until the second one is no echo of the first."""
        for _ in range(5):  # where the machine pauses, the pass may look too long to be finished
            with Folder() as folder:
                process = start(folder, *STREAM, "--scratch", "s", "--kill-at", "TERM@pass:slab:2,STOP@pass:slab")
                try:
                    wait_for(lambda: process.poll() is not None or stopped(process))
                    if process.returncode is None:
                        time.sleep(0.4)
                        process.send_signal(signal.SIGTERM)
                        process.send_signal(signal.SIGCONT)
                    process.communicate(timeout=SECONDS)
                finally:
                    process.kill()
                if process.returncode == -signal.SIGTERM:
                    self.assertEqual(folder.verify("s").returncode, 0)
                    return
                self.assertEqual(process.returncode, 75)
        self.fail("no pass was being finished when the second signal came")

    def test_an_echo_is_not_a_second_signal(self):
        with Folder(world().plain.exe) as folder:
            process = start(folder, *LONG_PASS)
            wait_for((folder.path / "plain.scratch" / "manifest").exists)
            process.send_signal(signal.SIGTERM)
            took, said = seconds_of(process, signal.SIGTERM)
            self.assertEqual(process.returncode, 75, said)

    def test_ignored_signals_stay_ignored(self):
        with Folder() as folder:
            def ignore():
                signal.signal(signal.SIGHUP, signal.SIG_IGN)
            folder.run(*STREAM, "--kill-at", "HUP@pass:slab:3", preexec_fn=ignore, status=0)
            self.assertIsNone(folder.wrong())

    def test_oocc_run_passes_them_on(self):
        with Folder() as folder:
            oocc = str(world().verifier.with_name("oocc"))
            # By one thread: several meet after every step of a slab, which takes a busy machine its time.
            command = [oocc, "run", str(world().plain.source), "--", "--progress", "off", *LONG_PASS, "--scratch", "s", "--threads", "1"]
            process = subprocess.Popen(command, cwd=folder.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE, text=True, preexec_fn=default_signals)
            wait_for((folder.path / "s" / "manifest").exists, 60)
            took, said = seconds_of(process, signal.SIGTERM)
            self.assertEqual(process.returncode, 75, said)
            self.assertLess(took, SECONDS)


class BeforeItBegins(unittest.TestCase):
    """Measuring and tuning take a while, and nothing is lost when they are stopped."""

    def check(self, *args, after):
        with Folder(world().plain.exe) as folder:
            cache = folder.path / "cache"
            process = start(folder, *args, env={**os.environ, "OOCC_CACHE": str(cache)})
            wait_for(lambda: process.poll() is not None or catches(process, signal.SIGINT))
            time.sleep(after)
            if process.poll() is not None:
                self.skipTest("over before it could be stopped")
            took, said = seconds_of(process, signal.SIGINT)
            self.assertEqual(process.returncode, 75, said)
            self.assertIn("stopped", said)
            self.assertLess(took, SECONDS)
            self.assertIsNone(folder.left(kept=("cache", "plain.scratch" if "is safe" in said else "cache")))

    def test_while_measuring(self):
        self.check("--probe", "now", *STREAM, "-D", "n=100", after=0.5)

    def test_while_tuning(self):
        self.check("--tune", "--tune-seconds", "30", "--probe", "off", "--schedule", "stream", "--engine", "aio", "-D", "n=4000",
                   "--steps", "2000", "--memory", "40M", after=1.5)

    def test_while_tuning_in_memory(self):
        self.check("--tune", "--tune-seconds", "30", "--probe", "off", "--schedule", "resident", "--engine", "memory", "-D", "n=4000",
                   "--steps", "20000", after=1.0)


class Output(unittest.TestCase):
    def test_a_reader_that_goes_away(self):
        for way in (STREAM, IN_MEMORY):
            with Folder() as folder:
                reader, writer = os.pipe()
                os.close(reader)
                done = folder.start(*way, stdout=writer)
                os.close(writer)
                _, said = done.communicate(timeout=60)
                self.assertEqual(done.returncode, 0, said)
                self.assertIn("nobody reads the output", said)
                self.assertIsNone(folder.wrong())

    def test_output_that_cannot_be_written_loses_no_state(self):
        with Folder() as folder:
            with open("/dev/full", "w") as full:
                done = folder.start(*STREAM, stdout=full)
                _, said = done.communicate(timeout=60)
            self.assertEqual(done.returncode, 74, said)
            self.assertRegex(said, r"standard output: No space left")
            folder.run(*STREAM, "--resume", status=0)
            self.assertIsNone(folder.wrong())

    def test_a_plan_for_nobody(self):
        with Folder() as folder, open("/dev/full", "w") as full:
            process = folder.start(*STREAM, "--plan", stdout=full)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 74)
