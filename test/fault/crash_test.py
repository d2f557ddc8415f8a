"""Crashes: whatever of a run's writes has reached the disk when it dies, `--resume` ends in the same bits or says why not."""
import os
import random
import re
import unittest

import images
import io_log
import suite
from trials import LONG, Subject, Trial, try_all

IMAGES = 20000 if LONG else 1000
ENGINES = ("threads", "aio", "uring", "mmap")


class Recorded:
    """The history of one run, and the folder that it was in. `scratch`: its members; `from_level`: it is a run that is
    resumed at that level.
    """

    def __init__(self, subject, engine, scratch=None, from_level=0, more=()):
        self.subject, self.engine, self.from_level = subject, engine, from_level
        self.scratch = scratch or [f"{subject.name}.scratch"]
        self.args = ["--engine", engine, "--scratch", ",".join(self.scratch), *more]
        with Trial(subject) as trial:
            self.root = os.path.realpath(trial.folder)
            path = trial.folder.with_suffix(".log")
            existing = {}
            if from_level:
                trial.run(*self.args, "--steps", from_level, "--keep", status=0)
                for name in trial.outputs():
                    (trial.folder / name).unlink()
                for place in self.scratch:
                    existing[f"{self.root}/{place}"] = None
                    existing.update((f"{self.root}/{place}/{file.name}", images.File(file.read_bytes()))
                                    for file in (trial.folder / place).iterdir())
            trial.run(*self.args, *(["--resume", "--steps", "6"] if from_level else []), "--record-io", path, status=0)
            self.outputs = trial.outputs()
        events, self.lines = io_log.read(path)
        path.unlink()
        self.history = images.History(events, existing)
        self.written = self.history.writes_of(("gen0", "gen1", "gen2"))
        self.marks = [e.begin for e in events if e.kind in ("sync", "rename", "unlink")]

    def place(self, source):
        """A place to die at: half of them near a sync or a change of names."""
        if source.random() < 0.5:
            return source.randint(0, self.lines)
        return min(self.lines, max(0, source.choice(self.marks) + source.randint(-2, 4)))

    def committed(self, at):
        """The level of the last commit that was complete: on stable storage, or taken for that by the run, which then
        writes over the generation before. None: there is none.
        """
        level = self.from_level or None
        for event, file in self.history.manifests:
            change = next(c for c in self.history.changes if c.event is event)
            goes_on = event.end is not None and any(event.end < write.begin < at for write in self.written)
            if goes_on or self.history.named_for_sure(change, at):
                level = level_of(images.left_of(file, at, None))
        return level

    def clears(self, at):
        """Whether the run was removing its scratch already."""
        return any(c.kind == "unlink" and c.path.endswith("/manifest") and c.event.begin < at
                   for c in self.history.changes)


def level_of(manifest):
    found = re.search(rb"^level (\d+)$", manifest, re.M)
    return int(found[1]) if found else None


def check(recorded, seed):
    source = random.Random(seed)
    at = recorded.place(source)
    where = f"seed {seed}, {recorded.subject.name} {' '.join(recorded.args)} from {recorded.from_level}, crash at {at} of {recorded.lines}"
    with Trial(recorded.subject) as trial:
        images.build(recorded.history, at, source, recorded.root, trial.folder)
        wrong = trial.wrong_outputs(whole=False)
        if wrong:
            return "wrong", f"{where}: the crash left damaged outputs {wrong}"
        level = recorded.committed(at)
        manifest = trial.folder / recorded.scratch[0] / "manifest"
        have = level_of(manifest.read_bytes()) if manifest.exists() else None
        if level is not None and not recorded.clears(at) and (have is None or have < level):
            return "wrong", f"{where}: level {level} was committed, and the manifest says {have}"
        done = trial.run(*recorded.args, "--resume", "--steps", "6")
        result = judge(recorded, at, level, trial, done)
        if result[1]:
            return result[0], f"{where}: {result[1]}\n{done.stderr}"
    return result


def judge(recorded, at, level, trial, done):
    if done.returncode == 0:
        wrong = trial.wrong_outputs()
        return "resumed", f"resumed to other bits: {wrong}" if wrong else None
    if recorded.clears(at):
        wrong = trial.wrong_outputs()
        return "over", f"nothing to resume, and {wrong} are not there" if wrong else None
    if level is not None:
        return "wrong", f"level {level} was committed, and --resume ends with status {done.returncode}"
    if done.returncode == 73 and "nothing to resume" in done.stderr:
        return "nothing to resume", None
    if done.returncode == 65 and "holds no part of the run" in done.stderr and len(recorded.scratch) > 1:
        return "not all members labelled", None
    if done.returncode == 76:
        return "damaged", None
    return "wrong", f"status {done.returncode}"


def spaced(subject, engine):
    """A run of six passes that commits after some of them; the others go to and fro between the other two generations."""
    for k in range(16):
        run = Recorded(subject, engine, more=["--bt", "1", "--commit-every", str(0.0002 * 1.5 ** k)])
        if 1 <= len(run.history.manifests) <= 4 and run.history.writes_of(("gen2",)):
            return run
    raise AssertionError("no run commits after some of its passes")


class Crashes(unittest.TestCase):
    def test_images(self):
        subjects = [Subject("wave"), Subject("ring"), Subject("cut")]
        try:
            engines = [e for e in subjects[0].engines()[0] if e in ENGINES]
            runs = [Recorded(s, e) for s in subjects for e in engines]
            runs += [Recorded(s, engines[0], scratch=["a", "b", "c"]) for s in subjects]
            runs += [Recorded(s, engines[-1], from_level=2) for s in subjects]
            runs += [spaced(s, engine) for s in subjects for engine in engines[:2]]
            for run in runs:
                missing = {"q-4.npy"} if run.from_level > 4 else set()
                self.assertEqual(run.outputs.keys(), run.subject.want.keys() - missing)
                self.assertEqual({name: data == run.subject.want[name] for name, data in run.outputs.items()},
                                 dict.fromkeys(run.outputs, True))
            cases = [(runs[i % len(runs)], i) for i in range(IMAGES)]
            counter = try_all(check, cases)
        finally:
            for subject in subjects:
                subject.close()
        suite.leave_promise("after a crash, --resume ends in the same bits or refuses", counter)
        counter.check(self)
        self.assertGreater(counter.kinds["resumed"], IMAGES // 4)

    def test_the_log_is_complete(self):
        """All of a log, made again, is what the run left."""
        subject = Subject("wave")
        try:
            run = Recorded(subject, "threads")
            with Trial(subject) as trial:
                images.build(run.history, run.lines, None, run.root, trial.folder)
                self.assertEqual(trial.wrong_outputs(), [])
                self.assertEqual(trial.leftovers(), [])
        finally:
            subject.close()


if __name__ == "__main__":
    unittest.main()
