"""Programs, folders and devices for tests that kill runs: how one is started, ended, and gone on with."""
import contextlib
import os
import re
import signal
import subprocess
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import programs
from programs import Failure, call

# Everything that a run writes: two levels, a coefficient, records, outputs on the way, a monitor.
SHOT = """
stencil shot;
param n : int = 24;
grid (z: n, y: 130, x: 12);
field p : f64;
coef c : f32 = 0.05 + 0.002*y;
init p = if z == n/2 and y == 9 and x == 10 then 1 else 0.001*z;
boundary p = fixed;
step {
    p[t+1] = 2*p - p[t-1] + c * (p[x-1] + p[x+1] + p[y-1] + p[y+1] + p[z-1] + p[z+1] - 6*p);
}
record p at (4.5, 7, 8.25) every 2 to "near.npy";
record p at (12, 9, 10) to "middle.npy";
monitor peak = max(abs(p[t+1])) every 3;
steps 13;
output p to "p-{t}.npy" every 4;
output p to "end.npy";
"""

# Nothing but steps: passes may be as long as they like.
PLAIN = """
stencil plain;
param n : int = 24;
grid (z: n, y: 40, x: 40);
field u : f64;
init u = 0.001*z*y;
boundary u = fixed;
step { u[t+1] = u + 0.1 * (u[x-1] + u[x+1] + u[y-1] + u[y+1] + u[z-1] + u[z+1] - 6*u); }
steps 12;
output u to "u.npy";
"""

IN_MEMORY = ["--schedule", "sweep", "--engine", "memory"]
EVERY_PASS = ["--commit-every", "0"]
SHAPES = {
    "stream": ["--schedule", "stream", "--bt", "3", "--bz", "2", *EVERY_PASS],
    "lean": ["--schedule", "stream", "--bt", "3", "--bz", "2", "--columns", "2", "--column-sides", "lean", *EVERY_PASS],
    "overlap": ["--schedule", "overlap", "--bt", "3", "--bz", "7", *EVERY_PASS],
    "sweep": ["--schedule", "sweep", *EVERY_PASS],
    "resident": ["--schedule", "resident", "--commit-every", "0.0001"],
    # Commits after some of 13 passes, with a third generation.
    "spaced": ["--schedule", "stream", "--bt", "1", "--bz", "2", "--commit-every", "0.01"],
    # None, however slow the machine is.
    "uncommitted": ["--schedule", "stream", "--bt", "1", "--bz", "2", "--commit-every", "1000"],
}
ENGINES = ("uring", "aio", "threads", "mmap")
AT_ONCE = 2

_world = None
_making = threading.Lock()  # trials of two threads may be the first to ask


def world():
    """The program, compiled once, and what it comes to."""
    global _world
    with _making:
        if _world is None:
            _world = World()
    return _world


class World:
    def __init__(self):
        self.program = programs.Program(SHOT)
        self.exe = self.program.exe
        self.plain = programs.Program(PLAIN)
        self.verifier = Path(programs.compiler()).parent / "oocc-verify"
        with Folder(self.exe) as folder:
            folder.run(*IN_MEMORY, status=0)
            self.want = folder.results()
        if set(self.want) != {"p-4.npy", "p-8.npy", "p-12.npy", "end.npy", "near.npy", "middle.npy"}:
            raise Failure(f"the reference has {sorted(self.want)}")
        listed = call([self.exe, "--kill-at", "?"], self.program.folder, 2).stderr
        self.labels = re.search(r"labels are:(.*)", listed)[1].split()


class Folder:
    """A working directory of its own, in which the one program runs."""

    def __init__(self, exe=None):
        self.exe = exe or world().exe
        self.temporary = tempfile.TemporaryDirectory(prefix="crash-")
        self.path = Path(self.temporary.name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def command(self, *args):
        return [str(self.exe), "--progress", "off", "--probe", "off", "--threads", "2", *map(str, args)]

    def run(self, *args, status=None, timeout=60, **more):
        """Runs to the end; raises Failure unless the status is one of those given."""
        done = call(self.command(*args), self.path, None, timeout, **more)
        wanted = status if isinstance(status, (tuple, set, list)) else (status,)
        if status is not None and done.returncode not in wanted:
            raise Failure(f"status {done.returncode}, not {status}: {' '.join(map(str, args))}\n{done.stderr[-2000:]}")
        return done

    def start(self, *args, **more):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True, **more}
        return subprocess.Popen(self.command(*args), cwd=self.path, **options)

    def verify(self, scratch):
        return call([world().verifier, "--progress", "off", scratch], self.path, None)

    def results(self):
        return {p.name: p.read_bytes() for p in sorted(self.path.glob("*.npy"))}

    def wrong(self):
        """None, or how the results are not what they should be."""
        got, want = self.results(), world().want
        if set(got) != set(want):
            return f"there are {sorted(got)} instead of {sorted(want)}"
        for name in want:
            if got[name] != want[name]:
                return f"{name} has other bits"
        return None

    def left(self, *scratches, kept=()):
        """None, or what is there besides the results: a scratch that has files, something temporary. `kept`: what may have files."""
        mine = set(world().want) | {Path(s).name for s in scratches}
        names = [p.relative_to(self.path) for p in self.path.rglob("*")]
        more = sorted(str(p) for p in names if p.parts[0] not in kept and (p.parts[0] not in mine or len(p.parts) > 1))
        return f"left behind: {', '.join(more)}" if more else None


class Counter:
    """Counts trials of one promise; keeps what the first failures said."""

    def __init__(self):
        self.tried, self.failed, self.kinds = 0, [], {}

    def take(self, kind, wrong):
        """`kind`: what was tried; None: it turned out to be nothing."""
        if not kind:
            return
        self.tried += 1
        self.kinds[kind] = self.kinds.get(kind, 0) + 1
        if wrong:
            self.failed.append(wrong)


def try_all(function, cases, at_once=AT_ONCE, counter=None):
    """Calls function(*case) for every case, some at a time; it returns (kind, None or what is wrong)."""
    def guarded(case):
        try:
            return function(*case)
        except Failure as failure:
            return "failed", f"{case}: {failure}"
    counter = counter or Counter()
    with ThreadPoolExecutor(at_once) as pool:
        for result in pool.map(guarded, cases):
            counter.take(*result)
    return counter


def stopped(process):
    """Whether it waits for SIGCONT."""
    try:
        with open(f"/proc/{process.pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] == "T"
    except FileNotFoundError:
        return False


def killed(status):
    return status == -signal.SIGKILL


class Device:
    """A file behind a loop device, or the reason why there is none."""

    def __init__(self, path, megabytes=48):
        self.path, self.device, self.why = Path(path), None, None
        if os.geteuid() != 0:
            self.why = "only root may set up a loop device"
            return
        with open(self.path, "wb") as file:
            file.truncate(megabytes << 20)
        environment = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
        try:
            done = subprocess.run(["losetup", "--find", "--show", "--direct-io=on", str(self.path)], env=environment,
                                  capture_output=True, text=True)
        except FileNotFoundError:
            self.why = "there is no losetup"
            return
        if done.returncode:
            self.why = "no loop device can be had: " + done.stderr.strip()
        else:
            self.device = done.stdout.strip()

    def close(self):
        if self.device:
            environment = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}
            subprocess.run(["losetup", "--detach", self.device], env=environment, check=False)
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()
