"""Memory that is refused, wherever it is asked for: status 71 and one message, never a crash, a hang or other bits."""
import json
import os
import random
import re
import resource
import subprocess
import tempfile
import unittest
from pathlib import Path

import compilers
import memory_limit
import options
import programs
import suite
from programs import call
from world import ENGINES, IN_MEMORY, SHAPES, Counter, Device, Folder, try_all, world

WAYS = {
    "memory": IN_MEMORY,
    "uring": [*SHAPES["stream"], "--engine", "uring"],
    "aio": [*SHAPES["overlap"], "--engine", "aio"],
    "threads": [*SHAPES["sweep"], "--engine", "threads"],
    "mmap": [*SHAPES["resident"], "--engine", "mmap"],
}
# A manifest of 300 KiB after every pass of four steps, with values that are taken meanwhile.
WATCHED = """
stencil watched;
grid (z: 192, y: 120, x: 112);
field u, v : f64;
coef shade : f32 = if x < 30 then 1 else 0.4;
init u = 0.001*z*y;
boundary u = periodic;
boundary v = neumann;
temp gx, gy : f64;
boundary gx, gy = periodic;
step {
    gx = 0.5*(u + u[x+1]) * (v[x+1] - v);
    gy = 0.5*(u + u[y+1]) * (v[y+1] - v);
    u[t+1] = u + 0.1*laplace(u) - 0.01*(gx - gx[x-1] + gy - gy[y-1]);
    v[t+1] = v + 0.08*laplace(v) + 0.1*shade*(u - v);
}
monitor mass = sum(u[t+1]) every 10;
monitor peak = max(v[t+1]) every 10;
record u at (48, 60, 56) every 5 to "near.npy";
steps 40;
output u to "u.npy";
"""
KILLED_AT = "recent:done:3"
LEFT_BEHIND = 73  # what another run has left is in the way
MIB = 1 << 20
PROMISE = "memory that is refused ends a run with 71 and one message"


def judge(folder, done, way, counter_kind, resumable=True):
    """(kind, None or what is wrong) of a run that was short of memory."""
    said = done.stderr
    if done.returncode == 0:
        wrong = folder.wrong()
        return counter_kind + ": went through", wrong
    if done.returncode != 71:
        return counter_kind, f"status {done.returncode}: {said[-600:]}"
    if len(re.findall(r"^\S+: error: ", said, re.M)) != 1:
        return counter_kind, f"not one message: {said[-600:]}"
    scratch = folder.path / "shot.scratch"
    if any((scratch / name).exists() for name in ("manifest", "recent")):
        again = folder.run(*way, "--resume")
    else:
        again = folder.run(*way)
    wrong = again.returncode and f"afterwards: status {again.returncode}: {again.stderr[-600:]}"
    return counter_kind + ": 71", wrong or folder.wrong() or folder.left()


class Refused(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if os.environ.get("OOCC_SANITIZE") or "asan" in programs.compiler() or "tsan" in programs.compiler():
            raise unittest.SkipTest("a sanitizer has an allocator of its own")
        cls.library = world().program.folder / "short.so"
        source = Path(__file__).resolve().parent / "short_of_memory.c"
        call(["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-o", cls.library, source, "-ldl"], world().program.folder)

    def environment(self, at, on=False, **more):
        return {**os.environ, "LD_PRELOAD": str(self.library), "SHORT_AT": str(at), **({"SHORT_ON": "1"} if on else {}), **more}

    def count(self, command, cwd):
        with Folder() as folder:
            file = folder.path / "count"
            call(command, cwd or folder.path, env=self.environment(0, SHORT_COUNT=str(file)))
            return int(file.read_text())

    def trial(self, name, at, on):
        way = WAYS[name]
        with Folder() as folder:
            done = folder.run(*way, env=self.environment(at, on), timeout=60)
            kind, wrong = judge(folder, done, way, name)
            return kind, wrong and f"{name}, request {at}{' and all after it' if on else ''}: {wrong}"

    def test_every_request_of_a_run(self):
        counter = Counter()
        for name, way in WAYS.items():
            with Folder() as folder:
                requests = self.count(folder.command(*way), folder.path)
            every = 1 if options.LONG else max(1, requests // 12)
            first = options.SEED % every + 1
            cases = [(name, at, on) for i, at in enumerate(range(first, requests + 1, every))
                     for on in ((False, True) if options.LONG else (bool(i % 2),))]
            if not options.LONG:  # the words at the end of a run are where nobody looks
                cases += [(name, at, True) for at in range(requests - 5, requests + 1)]
            try_all(self.trial, cases, counter=counter)
        suite.leave_promise(PROMISE, counter)
        self.assertFalse(counter.failed, "\n".join(counter.failed[:8]))

    @staticmethod
    def killed(folder, way, committed):
        """Leaves a recent manifest, of a run that had committed a level before, or none."""
        if committed:
            folder.run(*way, "--steps", "3", "--keep", status=0)
        folder.run(*way, *(["--resume", "--steps", "13"] if committed else []), "--kill-at", KILLED_AT, status=-9)

    def trial_after_a_kill(self, engine, at, on, committed):
        """Of a run that goes on from what was not committed; what it says of the level is so."""
        way = [*SHAPES["uncommitted"], "--engine", engine, "--steps", "13"]
        with Folder() as folder:
            self.killed(folder, way, committed)
            done = folder.run(*way, "--resume", env=self.environment(at, on), timeout=60)
            said = re.search(r"level (\d+) of (\d+) is safe", done.stderr)
            if done.returncode == 71 and said:
                left = json.loads(folder.run(*way, "--resume", "--plan", "--json", status=0).stdout)["plan"]["steps"]
                if left != int(said[2]) - int(said[1]):
                    return "wrong", f"{engine}, request {at}: {left} steps are left, and it says {said[0]}"
            kind, wrong = judge(folder, done, way, engine)
            return kind, wrong and f"{engine}, request {at}{' and all after it' if on else ''}, resumed: {wrong}"

    def test_every_request_of_a_run_that_goes_on(self):
        counter = Counter()
        for engine in ENGINES:
            way = [*SHAPES["uncommitted"], "--engine", engine]
            with Folder() as folder:
                self.killed(folder, way, False)
                requests = self.count(folder.command(*way, "--resume"), folder.path)
            every = 1 if options.LONG else max(1, requests // 24)
            try_all(self.trial_after_a_kill, [(engine, at, bool(i % 2), bool(i & 2)) for i, at in enumerate(range(1, requests + 1, every))],
                    counter=counter)
        suite.leave_promise(PROMISE + ", also one that goes on after kill -9", counter)
        self.assertFalse(counter.failed, "\n".join(counter.failed[:8]))

    def trial_beside_a_recent_state(self, engine, at, on):
        """Of a run that is begun where another was killed before its first commit: whatever it cannot find out, it discards nothing."""
        way = [*SHAPES["uncommitted"], "--engine", engine]
        with Folder() as folder:
            self.killed(folder, way, False)
            begun = folder.run(*way, env=self.environment(at, on), timeout=60)
            what = f"{engine}, request {at}{' and all after it' if on else ''}"
            if begun.returncode not in (71, LEFT_BEHIND):
                return "wrong", f"{what}, begun beside it: status {begun.returncode}: {begun.stderr[-600:]}"
            if len(re.findall(r"^\S+: error: ", begun.stderr, re.M)) != 1:
                return "wrong", f"{what}: not one message: {begun.stderr[-600:]}"
            again = folder.run(*way, "--resume")
            wrong = again.returncode and f"status {again.returncode}: {again.stderr[-600:]}"
            wrong = wrong or folder.wrong() or folder.left()
            return f"{begun.returncode}", wrong and f"{what}, gone on with: {wrong}"

    def test_every_request_of_a_run_that_is_begun_beside_a_recent_state(self):
        counter = Counter()
        engine = ENGINES[options.SEED % len(ENGINES)]
        with Folder() as folder:
            way = [*SHAPES["uncommitted"], "--engine", engine]
            self.killed(folder, way, False)
            file = folder.path / "count"
            folder.run(*way, env=self.environment(0, SHORT_COUNT=str(file)), status=LEFT_BEHIND)
            requests = int(file.read_text())
        every = 1 if options.LONG else max(1, requests // 60)
        last = range(max(1, requests - 12), requests + 1)  # where it finds out what is there
        cases = [(engine, at, on) for at in sorted({*range(1, requests + 1, every), *last}) for on in (False, True)]
        try_all(self.trial_beside_a_recent_state, cases, counter=counter)
        suite.leave_promise("a run that is short of memory discards nothing of another", counter)
        self.assertFalse(counter.failed, "\n".join(counter.failed[:8]))

    def test_the_compiler(self):
        counter = Counter()
        source = str(world().program.source)
        with Folder() as folder:
            command = [programs.compiler(), source, "-o", str(folder.path / "shot.c")]
            requests = self.count(command, folder.path)
            call(command, folder.path)
            want = (folder.path / "shot.c").read_bytes()
            for i in range(200 if options.LONG else 24):
                at = 1 + i * requests // (200 if options.LONG else 24)
                (folder.path / "shot.c").unlink(missing_ok=True)
                done = subprocess.run(command, cwd=folder.path, env=self.environment(at, i % 2 == 1), capture_output=True,
                                      text=True, timeout=60)
                made = folder.path / "shot.c"
                wrong = None
                if done.returncode == 0:
                    wrong = None if made.read_bytes() == want else "another program"
                elif done.returncode != 71 or "out of memory" not in done.stderr or made.exists():
                    wrong = f"status {done.returncode}: {done.stderr[-600:]}"
                counter.take(str(done.returncode), wrong and f"request {at} of {requests}: {wrong}")
            self.assertEqual([p.name for p in folder.path.iterdir() if p.name != "shot.c"], [])
        suite.leave_promise("memory that is refused ends the compiler with 71 and one message", counter)
        self.assertFalse(counter.failed, "\n".join(counter.failed[:8]))


@unittest.skipIf(os.environ.get("OOCC_SANITIZE"), "a sanitizer needs more addresses than any limit leaves")
class Limited(unittest.TestCase):
    def steps(self, which, low, high, count):
        """A limit of the process, stepped through."""
        counter = Counter()

        def trial(name, limit):
            way = WAYS[name]
            with Folder() as folder:
                done = folder.run(*way, timeout=60, preexec_fn=lambda: resource.setrlimit(which, (limit, limit)))
                if done.returncode == 127 or "loading shared libraries" in done.stderr:
                    return None, None  # the program was never begun
                kind, wrong = judge(folder, done, way, name)
                return kind, wrong and f"{name}, limit {limit >> 10} KiB: {wrong}"
        limits = [low + i * (high - low) // count for i in range(count)]
        names = list(WAYS)
        try_all(trial, [(names[i % len(names)], limit) for i, limit in enumerate(limits)], counter=counter)
        self.assertFalse(counter.failed, "\n".join(counter.failed[:8]))
        return counter

    def test_address_space(self):
        counter = self.steps(resource.RLIMIT_AS, 8 * MIB, 160 * MIB, 400 if options.LONG else 20)
        suite.leave_promise(PROMISE + " (RLIMIT_AS)", counter)

    def test_data(self):
        counter = self.steps(resource.RLIMIT_DATA, MIB, 48 * MIB, 400 if options.LONG else 20)
        suite.leave_promise(PROMISE + " (RLIMIT_DATA)", counter)


class Budget(unittest.TestCase):
    @staticmethod
    def plans():
        """Budgets and schedules, and whatever else a plan may be asked for."""
        for memory in ("12M", "20M", "40M"):
            for schedule in ("stream", "overlap"):
                yield ["-D", "n=6000", "--memory", memory, "--schedule", schedule, "--engine", "aio", "--steps", "6"]
        # Files that are mapped and read back from the disk: the kernel maps much more of them than is touched.
        yield ["-D", "n=3378", "--memory", "22282K", "--steps", "7", "--engine", "mmap", "--io-request", "64K"]
        generator = random.Random(options.SEED)
        for _ in range(options.PLANS):
            way = ["-D", f"n={generator.randint(200, 6000)}", "--memory", f"{generator.randint(8 * 1024, 64 * 1024)}K", "--steps", generator.randint(1, 9)]
            way += ["--schedule", generator.choice(("auto", "stream", "overlap", "sweep", "resident")), "--engine", generator.choice(("auto", "memory", *ENGINES))]
            for knob, most in (("--bt", 9), ("--bz", 24), ("--ct", 4), ("--columns", 3), ("--io-depth", 64)):
                way += [knob, generator.randint(1, most)] if generator.random() < 0.2 else []
            yield way + (["--io-request", generator.choice(("64K", "1M", "16M"))] if generator.random() < 0.3 else [])

    def measured(self, way, exe=None):
        """(outcome, None or what is wrong) of a run that may have a quarter more than it has planned with, and 16 MiB."""
        with Folder(exe or world().plain.exe) as folder:
            done = folder.run(*way, "--plan", "--json")
            if done.returncode == 71:
                return "refused", None if re.search(r"\d", done.stderr) else done.stderr
            if done.returncode == 2:  # what is asked for does not go together
                return None, None
            plan = json.loads(done.stdout)["plan"]
            budget = plan["budget_bytes"]
            with memory_limit.Group(budget + budget // 4 + 16 * MIB) as group:
                ran = group.run(folder.command(*way, "--report", "report.json"), cwd=folder.path, env=compilers.counted(),
                                capture_output=True, text=True, timeout=300)
            if ran.returncode:
                return plan["schedule"], f"status {ran.returncode}: {ran.stderr[-600:]}"
            peak = json.loads((folder.path / "report.json").read_text())["measured"]["peak_bytes"]
            return plan["schedule"], None if peak <= budget + compilers.kept() else f"{peak} of {budget} bytes"

    @unittest.skipIf(compilers.shadowed(), "ThreadSanitizer's memory grows with the run's")
    def test_the_plan_s_budget_is_kept_in_a_cgroup(self):
        if not memory_limit.available():
            self.skipTest("no memory cgroup can be made here")
        if memory_limit.counts_files(tempfile.gettempdir()):
            self.skipTest("temporary files are in memory, which a cgroup counts as the run's: name a folder on a disk by TMPDIR")
        counter = Counter()
        for way in self.plans():
            kind, wrong = self.measured(way)
            counter.take(kind, wrong and f"{' '.join(map(str, way))}: {wrong}")
        suite.leave_promise("what a run uses at its peak is within --memory", counter)
        self.assertFalse(counter.failed, "\n".join(counter.failed))
        self.assertGreater(counter.tried, counter.kinds.get("refused", 0) + 5)

    @unittest.skipIf(compilers.shadowed(), "ThreadSanitizer's memory grows with the run's")
    def test_the_plan_s_budget_is_kept_on_a_device(self):
        """Manifests of many checksums, after every pass: they are written as they are, not copied."""
        if not memory_limit.available():
            self.skipTest("no memory cgroup can be made here")
        counter = Counter()
        watched = programs.Program(WATCHED)
        with Folder() as place:
            device = Device(place.path / "device", 512)
            self.addCleanup(device.close)
            if device.why:
                self.skipTest(device.why)
            for memory, threads in (("13M", 1), ("14M", 1), ("14M", 2)):
                way = ["--memory", memory, "--schedule", "stream", "--threads", threads, "--scratch", device.device, "--restart"]
                kind, wrong = self.measured(way, watched.exe)
                counter.take(kind, wrong and f"{' '.join(map(str, way))}: {wrong}")
        suite.leave_promise("what a run uses at its peak is within --memory (block devices)", counter)
        self.assertFalse(counter.failed, "\n".join(counter.failed))
        self.assertEqual(counter.kinds, {"stream": 3})

    def test_killed_by_the_kernel_for_its_memory(self):
        """A group that is too small for the run, which does not know: it ends as by kill -9, or with 71, and goes on elsewhere."""
        if not memory_limit.available():
            self.skipTest("no memory cgroup can be made here")
        counter = Counter()
        for limit in (1, 2, 3, 4, 6, 8, 12, 16):
            with Folder() as folder:
                with memory_limit.Group(limit * MIB) as group:
                    done = group.run(folder.command(*WAYS["aio"], "-D", "n=24", "--memory", "64M"), cwd=folder.path,
                                     capture_output=True, text=True, timeout=120)
                if done.returncode == 0:
                    counter.take("went through", folder.wrong())
                elif done.returncode == -9:
                    again = folder.run(*WAYS["aio"], "--resume")
                    if again.returncode == 73:
                        again = folder.run(*WAYS["aio"], status=0)
                    counter.take("killed", folder.wrong() or folder.left())
                else:
                    counter.take(*judge(folder, done, WAYS["aio"], "limited"))
        self.assertFalse(counter.failed, "\n".join(counter.failed))


