"""Disks that are really full: small file systems of a size that is just not enough, and a limit on the size of files."""
import contextlib
import re
import resource
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import compilers
import suite
from trials import LONG, Subject, Trial, put_inputs, try_all

SIZES = 200 if LONG else 20
PAGE = 4096


class NotPermitted(Exception):
    pass


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotPermitted(f"{' '.join(map(str, command))}: {done.stderr.strip()}")


@contextlib.contextmanager
def mounted(kind, size):
    """A file system of so many bytes: where it is, and a function that makes it large."""
    folder = tempfile.mkdtemp(prefix="oocc-small-")
    image = Path(folder + ".image")
    try:
        if kind == "tmpfs":
            call("mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder)
        else:
            with open(image, "wb") as file:
                file.truncate(8 << 20)
            call("mkfs.ext4", "-q", "-m", "0", "-O", "^has_journal", image, str(size // 1024) + "k")
            call("mount", "-o", "loop", image, folder)
        yield Path(folder), lambda: grow(kind, folder, image)
    finally:
        subprocess.run(["umount", folder], capture_output=True, check=False)
        shutil.rmtree(folder, ignore_errors=True)
        image.unlink(missing_ok=True)


def grow(kind, folder, image):
    if kind == "tmpfs":
        call("mount", "-o", "remount,size=8m", folder)
    else:
        device = subprocess.run(["findmnt", "-no", "SOURCE", folder], capture_output=True, text=True, check=True)
        call("resize2fs", device.stdout.strip(), "8m")


def refusal():
    """Why small file systems cannot be mounted here, or None."""
    try:
        with mounted("tmpfs", 1 << 20):
            return None
    except (NotPermitted, OSError) as why:
        return str(why)


class InFolder(Trial):
    def __init__(self, subject, folder):
        self.subject, self.folder = subject, folder

    def __exit__(self, *_):
        pass


def judge(trial, done, enlarge, args):
    if done.returncode == 0:
        wrong = trial.wrong_outputs()
        return "enough", f"other bits: {wrong}" if wrong else None
    if done.returncode != 73:
        return "wrong", f"status {done.returncode}\n{done.stderr}"
    if not re.search(r"error: .*(No space left|free|File too large|too large)", done.stderr):
        return "wrong", f"the message does not say that there is no space\n{done.stderr}"
    if trial.wrong_outputs(whole=False):
        return "wrong", f"damaged outputs: {trial.wrong_outputs(whole=False)}"
    enlarge()
    again = trial.as_told(done, *args)
    if again.returncode != 0 or trial.wrong_outputs() or trial.leftovers():
        return "wrong", (f"{done.stderr}then status {again.returncode}, {trial.wrong_outputs()}, {trial.leftovers()}\n"
                         f"{again.stderr}")
    return "resumed" if "--resume goes on" in done.stderr else "begun again", None


def small(subject, kind, engine, size, apart):
    """`apart`: only inputs and outputs are there, the scratch is somewhere else."""
    elsewhere = tempfile.TemporaryDirectory(prefix="oocc-trial-")
    args = ["--engine", engine, *(["--scratch", elsewhere.name + "/s"] if apart else [])]
    try:
        with mounted(kind, size) as (folder, enlarge):
            try:
                put_inputs(folder)
            except OSError:
                return "no room for the input", None
            with InFolder(subject, folder) as trial:
                result = judge(trial, trial.run(*args), enlarge, args)
    except NotPermitted as why:
        return "wrong", str(why)
    finally:
        elsewhere.cleanup()
    return result[0], f"{kind} of {size} bytes, {engine}: {result[1]}" if result[1] else None


def limited(subject, engine, size):
    """A limit on the size of files, which is EFBIG."""
    args = ["--engine", engine]
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    with Trial(subject) as trial:
        done = trial.run(*args, preexec_fn=limit)
        result = judge(trial, done, lambda: None, args)
    return result[0], f"files of {size} bytes at most, {engine}: {result[1]}" if result[1] else None


class Space(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.subject = Subject("wave")
        cls.engines = [e for e in cls.subject.engines()[0] if e != "aio" or LONG]

    @classmethod
    def tearDownClass(cls):
        cls.subject.close()

    def need(self):
        """Bytes that a run has on its file system at most: what it says it needs on one that has nothing."""
        with Trial(self.subject) as trial:
            trial.run("--engine", "threads", "--keep", status=0)
            return sum(-(-path.stat().st_size // PAGE) * PAGE for path in trial.folder.rglob("*") if path.is_file())

    def test_a_file_system_that_is_too_small(self):
        why = refusal()
        if why:
            self.skipTest(f"no file system can be mounted here: {why}")
        need = self.need()
        spread = 1 << 20  # the run wants that much to spare
        sizes = [PAGE * 6 + (need + spread + 10 * PAGE) * i // SIZES // PAGE * PAGE for i in range(SIZES // 2)]
        sizes += [need + spread + PAGE * (i - SIZES // 4) for i in range(SIZES // 2)]
        cases = [(self.subject, "tmpfs", self.engines[i % len(self.engines)], size, False) for i, size in enumerate(sizes)]
        cases += [(self.subject, "tmpfs", self.engines[i % len(self.engines)], PAGE * (3 + i % 10), True)
                  for i in range(SIZES // 2)]
        cases += [(self.subject, "ext4", "threads", need + spread + (100 + 8 * i) * 1024, False) for i in range(SIZES // 5)]
        counter = try_all(small, cases)
        suite.leave_promise("on a file system that is full, a run says so, and goes on when there is room", counter)
        counter.check(self)
        self.assertGreater(counter.kinds.get("begun again", 0), 0)
        self.assertGreater(counter.kinds.get("resumed", 0), 0)

    def test_no_room_for_strips(self):
        """Of columns that lean: files that go on need room for them, which is asked for before anything is lost."""
        why = refusal()
        if why:
            self.skipTest(f"no file system can be mounted here: {why}")
        subject = Subject("cut")
        try:
            with mounted("tmpfs", 8 << 20) as (folder, _), InFolder(subject, folder) as trial:
                put_inputs(folder)
                lean = ["--engine", "threads", "--bt", "6", "--bz", "1", "--resume", "--steps", "6"]
                trial.run("--engine", "threads", "--steps", "2", "--keep", "--column-sides", "halo", status=0)
                used = sum(-(-path.stat().st_size // PAGE) * PAGE for path in folder.rglob("*") if path.is_file())
                call("mount", "-o", f"remount,size={used + 6 * PAGE}", folder)
                done = trial.run(*lean, status=73)
                self.assertRegex(done.stderr, "error: cannot reserve .* for cut.scratch/strips: No space left on device")
                self.assertIn("--column-sides halo needs no such file", done.stderr)
                call("mount", "-o", "remount,size=8m", folder)
                trial.run(*lean, status=0)
                self.assertEqual((trial.wrong_outputs(), trial.leftovers()), ([], []))
        finally:
            subject.close()

    @unittest.skipIf(compilers.shadowed(), "ThreadSanitizer makes a file of its own, of 64 KiB and more")
    def test_a_limit_on_files(self):
        sizes = [100, 4095, 4096, 5000, 16384, 40000, 65536, 70000, 90000, 100000]
        cases = [(self.subject, "threads", size) for size in sizes]
        counter = try_all(limited, cases)
        suite.leave_promise("where files may not grow any more, a run says so, and goes on when they may", counter)
        counter.check(self)
        self.assertGreater(counter.kinds.get("begun again", 0), 0)


if __name__ == "__main__":
    unittest.main()
