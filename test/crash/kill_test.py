"""kill -9 at every labelled point and at random instants: what is left is gone on with, to the same bits."""
import itertools
import os
import random
import subprocess
import time
import unittest

import options
import suite
from programs import Failure
from world import ENGINES, EVERY_PASS, SHAPES, Counter, Device, Folder, killed, try_all, world

PROMISE = "killed at any instant, a run goes on to the same bits and leaves nothing behind"
# Points that a first run from nothing does not come by.
AFTER_A_RUN = {"discard:begin": ["--restart"], "discard:manifest": ["--restart"], "discard:member": ["--restart"],
               "resume:opened": ["--resume"]}


def begin(folder, way, scratch):
    """A run that was stopped in the middle: what --restart and --resume find."""
    folder.run(*way, "--scratch", scratch, *EVERY_PASS, "--kill-at", "commit:done:3", status=-9)


def go_on(folder, way, scratch, more=()):
    """One attempt to go on with whatever is there: --resume where something was committed, otherwise from nothing. The results have
    to be there only when it ended well."""
    done = folder.run(*way, "--scratch", scratch, "--resume", *more, status=(0, 73, -9))
    if done.returncode != 73:
        return done
    if "nothing to resume" not in done.stderr:
        raise Failure(f"status {done.returncode}: {done.stderr[-1500:]}")
    return folder.run(*way, "--scratch", scratch, *more, status=(0, -9))


def finish(folder, way, scratch, generator, kills):
    """Goes on, killed some more times on the way, until it is done; then compares."""
    whole = folder.verify(scratch)
    if whole.returncode not in (0, 65):
        return f"verify says {whole.returncode}: {whole.stdout}{whole.stderr}"
    for _ in range(kills):
        label = generator.choice(world().labels)
        done = go_on(folder, way, scratch, ["--kill-at", f"{label}:{generator.randint(1, 3)}"])
        if done.returncode == 0:
            break
    done = go_on(folder, way, scratch)
    if done.returncode:
        return f"still not done: {done.returncode} {done.stderr}"
    return folder.wrong() or folder.left(*scratch.split(","))


def trial(label, way, scratch, seed):
    """`label`: where, or a number of seconds after which."""
    generator = random.Random(seed)
    where = f"{label}, {' '.join(way)}, {scratch}, seed {seed}"
    with Folder() as folder:
        if isinstance(label, float):
            process = folder.start(*way, "--scratch", scratch, stderr=subprocess.DEVNULL)
            time.sleep(label)
            process.kill()
            status = process.wait()
        else:
            more = AFTER_A_RUN.get(label.rsplit(":", 1)[0], [])
            if more:
                begin(folder, way, scratch)
            status = folder.run(*way, "--scratch", scratch, *more, "--kill-at", label).returncode
        if status not in (0, -9):
            return "failed", f"{where}: status {status}"
        if status == 0 and folder.wrong():
            return "failed", f"{where}: {folder.wrong()}"
        wrong = finish(folder, way, scratch, generator, generator.choice((0, 0, 1, 2))) if status else None
    kind = wrong if not killed(status) else "at random" if isinstance(label, float) else label.rsplit(":", 1)[0]
    return kind, wrong and f"{where}: {wrong}"


def ways(generator):
    """One after the other, so that all meet."""
    while True:
        shapes = list(SHAPES.values())
        generator.shuffle(shapes)
        for shape in shapes:
            for engine in generator.sample(ENGINES, len(ENGINES)):
                yield [*shape, "--engine", engine]


def is_recent(label):
    """Whether it is only come by where a pass is not followed by a commit."""
    return label.startswith("recent:")


class Kills(unittest.TestCase):
    def test_points_that_there_are_not(self):
        with Folder() as folder:
            for text in ("", "pass", "pass:slab:0", "QUIT@pass:slab", "pass:slab,", ",pass:slab", 5 * "pass:slab," + "pass:slab",
                         "TERM@pass:slab:2,STOP@nowhere", 80 * "x"):
                done = folder.run("--kill-at", text, status=2)
                self.assertIn("is not [SIGNAL@]LABEL[:N]", done.stderr)
            self.assertIsNone(folder.left())

    @staticmethod
    def cases(generator):
        """First every label, then instants at random, without end."""
        way = ways(generator)
        scratches = ("s", "a,b", "a,b,c")
        for label in world().labels:
            for count in (1, 2):
                shape = [*SHAPES["uncommitted"], "--engine", generator.choice(ENGINES)] if is_recent(label) else next(way)
                yield f"{label}:{count}", shape, generator.choice(scratches), generator.random()
        while True:
            yield generator.uniform(0.0, 0.1), next(way), generator.choice(scratches), generator.random()

    def test_everywhere(self):
        cases, counter = self.cases(random.Random(options.SEED)), Counter()
        while counter.tried < options.KILLS and not counter.failed:
            missing = options.KILLS - counter.tried
            try_all(trial, list(itertools.islice(cases, 2 * len(world().labels) if counter.tried == 0 else missing)), counter=counter)
        suite.leave_promise(PROMISE, counter)
        self.assertFalse(counter.failed, "\n" + "\n".join(counter.failed[:6]))
        never = [label for label in world().labels if label not in counter.kinds]
        self.assertEqual(never, [], "points that no run came by")

    def test_on_devices(self):
        with Folder() as place:
            devices = [Device(place.path / f"device{i}") for i in range(2)]
            try:
                for device in devices:
                    if device.why:
                        self.skipTest(device.why)
                self.kill_on([device.device for device in devices])
            finally:
                for device in devices:
                    device.close()

    def kill_on(self, devices):
        """One after the other: they share the devices."""
        generator = random.Random(options.SEED)
        labels = [label for label in world().labels if not label.startswith(("scratch:", "lock:"))]
        generator.shuffle(labels)
        labels.sort(key=lambda label: not is_recent(label))  # few cases: these go first
        cases = [(f"{label}:{generator.randint(1, 2)}",
                  [*SHAPES["uncommitted" if is_recent(label) else "stream"], "--engine", "aio" if i % 2 else "uring"],
                  (devices[0], ",".join(devices), f"home,{devices[1]}")[i % 3], generator.random())
                 for i, label in enumerate(itertools.islice(itertools.cycle(labels), options.KILLS // 8))]
        counter = try_all(lambda *case: self.on_blank(devices, case), cases, 1)
        suite.leave_promise(PROMISE + " (block devices)", counter)
        self.assertFalse(counter.failed, "\n" + "\n".join(counter.failed[:6]))

    @staticmethod
    def on_blank(devices, case):
        for device in devices:
            with open(device, "r+b") as file:
                file.write(bytes(1 << 20))
                os.fsync(file.fileno())
        return trial(*case)
