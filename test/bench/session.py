"""A session of measurements: a scratch folder that goes in every case, commands in memory cgroups, and what the machine is."""
import ctypes
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "test/support"))
import memory_limit
from swap_file import SwapFile, swap_off_below

MIB, GIB = 1 << 20, 1 << 30
NO_MEMORY, NO_SPACE, USAGE = 71, 73, 2


def say(text):
    print(text, file=sys.stderr, flush=True)


def size_text(count):
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (1 << 10, "KiB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}" if count < 1000 * unit else f"{count / unit:.0f} {name}"
    return f"{count} bytes"


class Refused(Exception):
    """The bench cannot do what was asked for; carries the exit status."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Done:
    """How a command ended. `expired`: it was ended after --patience seconds."""

    def __init__(self, status, out, err, seconds, expired=False):
        self.status, self.out, self.err, self.seconds, self.expired = status, out, err, seconds, expired

    def error(self):
        """The line that says what went wrong."""
        if self.status < 0 and not self.expired:
            return f"ended by {signal.Signals(-self.status).name}" + (
                ", as by the kernel when a memory cgroup has no more to give" if self.status == -signal.SIGKILL else "")
        lines = [line for line in self.err.splitlines() if line.strip()]
        return next((line for line in lines if "error:" in line), lines[-1] if lines else f"status {self.status}")


def without_huge_pages():
    """For a child, before it becomes the command: the kernel gives it no huge pages, whatever it asks for."""
    PR_SET_THP_DISABLE = 41
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)


class Session:
    """As a context manager: the folder, the swap file and the running command go when the block is left, signals included."""

    def __init__(self, scratch, patience):
        self.scratch = Path(scratch).resolve()
        self.patience = patience
        self.start = time.monotonic()
        self.limited = memory_limit.available()
        self.folder = None

    def __enter__(self):
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.remove_left_behind()
        self.folder = Path(tempfile.mkdtemp(prefix=f"oocc-bench-{os.getpid()}-", dir=self.scratch))
        self.handlers = {number: signal.signal(number, self.stop) for number in (signal.SIGTERM, signal.SIGHUP)}
        # What programs keep of probes and trials goes with the session: none from another machine or day is used.
        os.environ["OOCC_CACHE"] = str(self.folder / "cache")
        return self

    def __exit__(self, *_):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # an impatient second Ctrl-C would leave files behind
        swap_off_below(self.folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        for number, handler in self.handlers.items():
            signal.signal(number, handler)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    @staticmethod
    def stop(number, _):
        raise KeyboardInterrupt(signal.Signals(number).name)

    def remove_left_behind(self):
        """What an earlier session that was killed left."""
        for path in self.scratch.glob("oocc-bench-*-*"):
            if not os.path.exists(f"/proc/{path.name.split('-')[2]}"):
                say(f"removing {path}, which a run that was killed has left")
                swap_off_below(path)
                shutil.rmtree(path, ignore_errors=True)

    def since_start(self):
        return time.monotonic() - self.start

    def execute(self, command, limit=None, before=None, environment=None, patience=None):
        """Runs a command, in a cgroup when a limit is given and cgroups can be made; never raises for how it ends."""
        command = [str(part) for part in command]
        options = {"cwd": self.folder, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                   "text": True, "timeout": patience or self.patience, "preexec_fn": before,
                   "env": {**os.environ, **(environment or {})}}
        start = time.monotonic()
        try:
            done = memory_limit.run_limited(limit if self.limited else None, command, **options)
            return Done(done.returncode, done.stdout, done.stderr, time.monotonic() - start)
        except subprocess.TimeoutExpired as expired:
            seconds = time.monotonic() - start
            return Done(-1, "", f"not done after {expired.timeout:.0f} s", seconds, expired=True)

    def empty(self):
        """Removes what runs leave in the folder, but not the programs and caches."""
        for path in self.folder.iterdir():
            if path.name.endswith((".scratch", ".npy", ".report")):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def need_space(self, count, what, remedy):
        free = shutil.disk_usage(self.folder).free
        if count + GIB // 2 > free:
            raise Refused(NO_SPACE, f"{what} needs {size_text(count)} on {self.scratch}, where {size_text(free)} are free; "
                                    f"{remedy} or --scratch with another folder")

    def need_memory(self, count, what, remedy):
        available = memory_available()
        if count > available:
            raise Refused(NO_MEMORY, f"{what} needs {size_text(count)} of memory, of which {size_text(available)} are "
                                     f"available; {remedy}")

    def swap_file(self, count):
        return SwapFile(self.folder / "swap", count)


def memory_available():
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return 0


def first_line(*command):
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except OSError:
        return None
    return done.stdout.splitlines()[0].strip() if done.returncode == 0 and done.stdout.strip() else None


def vectors():
    """The widest that the cores have; None where that is not known."""
    flags = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    flags = set(flags.group(1).split()) if flags else set()
    return next((name for flag, name in (("avx512f", "AVX-512"), ("avx2", "AVX2"), ("sse2", "SSE2")) if flag in flags), None)


def caches():
    """Bytes of the first core's caches for data, from the nearest one on, as far as the kernel knows them."""
    found = []
    for size in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size")):
        kind, text = (size.with_name("type").read_text().strip(), size.read_text().strip())
        if kind != "Instruction" and text.endswith("K"):
            found.append(int(text[:-1]) << 10)
    return found


def machine(session, oocc):
    """What the figures belong to; no names and no paths."""
    cpu = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    total = re.search(r"^MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text(), re.M)
    return {"cpu": cpu.group(1).strip() if cpu else "unknown", "cores": len(os.sched_getaffinity(0)),
            "memory_bytes": int(total.group(1)) << 10 if total else 0, "kernel": os.uname().release,
            "load_at_start": os.getloadavg()[0],
            "vectors": vectors(), "caches": caches(),
            "filesystem": first_line("findmnt", "-n", "-o", "FSTYPE", "--target", str(session.folder)) or "unknown",
            "cc": first_line("cc", "--version"), "oocc": first_line(str(oocc), "--version"),
            "memory_cgroup": session.limited}
