"""Runs a command in a memory cgroup of its own, page cache included, so that out-of-core costs are real ones.

The page cache hides them otherwise: what was written a moment ago is read back from memory. Needs the right to make
cgroups (version 1 or 2); where there is none, available() is False and callers say so.
"""
import os
import subprocess
import time

ROOT = "/sys/fs/cgroup"


def _parent():
    """The folder in which groups are made and the file that takes the limit, or None."""
    if os.path.exists(f"{ROOT}/memory/memory.limit_in_bytes"):
        return f"{ROOT}/memory", "memory.limit_in_bytes"
    try:
        with open(f"{ROOT}/cgroup.subtree_control") as control:
            if "memory" in control.read().split():
                return ROOT, "memory.max"
    except OSError:
        pass
    return None


class Group:
    """A cgroup for as long as the `with` block lasts; run() starts commands in it."""

    def __init__(self, limit_bytes):
        self.limit_bytes = limit_bytes

    def __enter__(self):
        parent, limit_file = _parent()
        self.path = f"{parent}/oocc-{os.getpid()}-{time.monotonic_ns()}"
        os.mkdir(self.path)
        with open(f"{self.path}/{limit_file}", "w") as file:
            file.write(str(self.limit_bytes))
        return self

    def __exit__(self, *_):
        for _ in range(500):  # the kernel lets go of the last task a moment after it has ended, seconds if it was killed at work
            try:
                os.rmdir(self.path)
                return
            except OSError:
                time.sleep(0.02)

    def run(self, command, preexec_fn=None, **options):
        """subprocess.run() inside the group."""
        def join():
            with open(f"{self.path}/cgroup.procs", "w") as file:
                file.write(str(os.getpid()))
            if preexec_fn:
                preexec_fn()
        return subprocess.run(command, preexec_fn=join, **options)

    def peak_bytes(self):
        """The most the group has used, or None where the kernel does not say."""
        for name in ("memory.max_usage_in_bytes", "memory.peak"):
            try:
                with open(f"{self.path}/{name}") as file:
                    return int(file.read())
            except (OSError, ValueError):
                continue
        return None


def available():
    """True when a group can be made here."""
    if _parent() is None:
        return False
    try:
        with Group(1 << 30):
            return True
    except OSError:
        return False


def counts_files(folder):
    """Whether what is written to files there counts as memory of who writes it: tmpfs and the like."""
    done = subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True)
    return done.stdout.strip() in ("tmpfs", "ramfs")


def run_limited(limit_bytes, command, **options):
    """Runs the command in a group of `limit_bytes`, or without one when limit_bytes is None."""
    if limit_bytes is None:
        return subprocess.run(command, **options)
    with Group(limit_bytes) as group:
        return group.run(command, **options)
