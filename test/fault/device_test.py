"""The same on a block device, where label and manifest are blocks: errors at every operation, and crashes."""
import contextlib
import itertools
import os
import queue
import random
import re
import subprocess
import tempfile
import unittest

import images
import io_log
import operations_test
import suite
from seal import xxh3
from trials import AT_ONCE, LONG, PLACE, Subject, Trial, happened, try_all

IMAGES = 2000 if LONG else 100
BYTES = 16 << 20
MIB = 1 << 20
BLOCK = 4096
# Behind the first MiB places for manifests, of a MiB each in these runs: two of what is committed, two of the recent one.
RECENT_AT = 3 * MIB
SLOTS_END = 5 * MIB
CLEARED = 2 * MIB  # label, owner, and the first place of a manifest
HEAD = re.compile(rb"oocc-slot 1\nsequence \d{20}\nbytes (\d{20})\n")


@contextlib.contextmanager
def loop_device():
    with tempfile.NamedTemporaryFile(prefix="oocc-disk-", dir=PLACE) as file:
        file.truncate(BYTES)
        path = subprocess.run(["losetup", "--find", "--show", file.name], capture_output=True, text=True, check=True).stdout.strip()
        try:
            yield path
        finally:
            subprocess.run(["losetup", "--detach", path], check=False)


def refusal():
    """Why there are no loop devices here, or None."""
    try:
        with loop_device():
            return None
    except (OSError, subprocess.CalledProcessError) as why:
        return f"{why} {getattr(why, 'stderr', '')}".strip()


def fill(device, content):
    fd = os.open(device, os.O_WRONLY)
    with os.fdopen(fd, "wb", buffering=0) as out:
        out.write(content)
        os.fsync(fd)


def after_a_start(content):
    """The disk of a machine that has started anew: its recent manifests are of an earlier boot, and whole as they were."""
    disk = bytearray(content)
    for at in (RECENT_AT, RECENT_AT + MIB):
        head = HEAD.match(disk[at:at + BLOCK])
        if not head:
            continue
        text = images.BOOT.sub(b"boot 00000000", disk[at + BLOCK:at + BLOCK + int(head[1])], 1)
        lines = head[0] + b"xxh3 %016x\n" % xxh3(text)
        lines += b"%016x\n" % xxh3(lines)
        disk[at:at + len(lines)] = lines
        disk[at + BLOCK:at + BLOCK + len(text)] = text
    return bytes(disk)


class Recorded:
    """The history of a run on a device."""

    def __init__(self, subject, engine, device, *more):
        self.subject, self.args = subject, ["--engine", engine, *more]
        with Trial(subject) as trial:
            self.root = os.path.realpath(trial.folder)
            log = trial.folder / "calls.log"
            trial.run(*self.args, "--scratch", device, "--record-io", log, status=0)
            events, self.lines = io_log.read(log)
        self.disk = images.File(bytes(BYTES))
        self.history = images.History(events, {device: self.disk})
        slots = [e for e in self.disk.changes if e.kind == "write" and e.data.startswith(b"oocc-slot 1\n")]
        self.slots, self.recent = ([e for e in slots if (e.first >= RECENT_AT) == recent] for recent in (False, True))
        self.written = [e for e in self.disk.changes if e.kind == "write" and e.first >= SLOTS_END]
        # The committed manifest's places go first, then the label.
        self.wipe = next(e.begin for e in self.disk.changes
                         if e.kind == "write" and e.begin > self.slots[0].begin and e.first < RECENT_AT and not any(e.data))

    @classmethod
    def spaced(cls, subject, engine, device):
        """One of six passes that commits after some of them; after the others there is a recent manifest."""
        for k in range(16):
            with contextlib.suppress(IndexError):  # it committed nothing
                run = cls(subject, engine, device, "--bt", "1", "--commit-every", str(0.0002 * 1.5 ** k))
                if run.recent and len(run.slots) <= 4:
                    return run
            fill(device, bytes(CLEARED))
        raise AssertionError("no run commits after some of its passes")

    def committed(self, at):
        level = None
        for event in self.slots:
            goes_on = event.end is not None and any(event.end < e.begin < at for e in self.written)
            if goes_on or images.covered(event, self.disk.syncs, at):
                level = self.level(event)
        return level

    def level(self, head):
        """Of the text behind a block, which was written before that."""
        text = [e.data for e in self.disk.changes if e.kind == "write" and e.first == head.first + BLOCK and e.begin < head.begin][-1]
        return int(re.search(rb"\nlevel (\d+)\n", text)[1])


class Devices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        why = refusal()
        if why:
            raise unittest.SkipTest(f"no loop devices here: {why}")
        cls.stack = contextlib.ExitStack()
        cls.subject = Subject("wave")
        cls.stack.callback(cls.subject.close)
        cls.devices = queue.Queue()
        for _ in range(AT_ONCE):
            cls.devices.put(cls.stack.enter_context(loop_device()))

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    @contextlib.contextmanager
    def device(self):
        path = self.devices.get()
        try:
            fill(path, bytes(CLEARED))
            yield path
        finally:
            self.devices.put(path)

    def fail_at(self, engine, options, k):
        with self.device() as path, Trial(self.subject) as trial:
            args = ["--engine", engine, "--scratch", path, *options]
            done = trial.run(*args, "--fault", f"eio@{k}")
            result = operations_test.judge(trial, done, engine, {74}, *args)
        where = " ".join([engine, "on a device", *options])
        return result[0], f"{where}, eio@{k}: {result[1]}\n{done.stderr}" if result[1] else None

    def test_an_error_at_every_operation(self):
        cases = []
        for engine, options in itertools.product(self.subject.engines()[0] if LONG else ["threads"], ([], operations_test.SPACED)):
            with self.device() as path, Trial(self.subject) as trial:
                done = trial.run("--engine", engine, "--scratch", path, *options, "--fault", f"eio@{10 ** 9}", status=0)
            count = happened(done)[1]  # the first twenty look at what lies there
            cases += [(engine, options, k) for k in (range(1, count + 1) if LONG else [*range(1, 20), *range(20, count + 1, 3)])]
        counter = try_all(self.fail_at, cases)
        suite.leave_promise("after an I/O error at any operation on a device, what the message says ends in the same bits", counter)
        counter.check(self)

    def crash(self, run, seed):
        source = random.Random(seed)
        at = source.randint(0, run.lines)
        if source.random() < 0.5:
            mark = source.choice([e.begin for e in self.marks(run)])
            at = min(run.lines, max(0, mark + source.randint(-2, 4)))
        with self.device() as path, Trial(self.subject) as trial:
            images.build(run.history, at, source, run.root, trial.folder)
            fill(path, after_a_start(images.left_of(run.disk, at, source)))
            level = run.committed(at) if at <= run.wipe else None
            done = trial.run(*run.args, "--scratch", path, "--resume")
            wrong = None
            if done.returncode == 0:
                kind, wrong = "resumed", trial.wrong_outputs() or None
            elif at > run.wipe:
                kind, wrong = "over", trial.wrong_outputs() or None
            elif level is not None or done.returncode not in (73, 76):
                kind, wrong = "wrong", f"level {level} was committed, and --resume ends with status {done.returncode}"
            else:
                kind = "nothing to resume" if done.returncode == 73 else "damaged"
        return kind, f"seed {seed}, {' '.join(run.args)}, crash at {at} of {run.lines}: {wrong}\n{done.stderr}" if wrong else None

    @staticmethod
    def marks(run):
        return [*run.disk.syncs, *run.slots, *run.recent]

    def test_images(self):
        runs = []
        for engine in self.subject.engines()[0]:
            for make in (Recorded, Recorded.spaced):
                with self.device() as path:
                    runs.append(make(self.subject, engine, path))
        counter = try_all(self.crash, [(runs[i % len(runs)], i) for i in range(IMAGES)])
        suite.leave_promise("after a crash, --resume from a device ends in the same bits or refuses", counter)
        counter.check(self)
        self.assertGreater(counter.kinds["resumed"], IMAGES // 4)


if __name__ == "__main__":
    unittest.main()
