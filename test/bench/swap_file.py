"""A swap file for as long as a `with` block lasts. Needs root; `error` says why there is none."""
import os
import subprocess
from pathlib import Path


def _call(*command):
    """None when it went well, else the reason."""
    try:
        done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env={**os.environ, "LC_ALL": "C", "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin"})
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    return None if done.returncode == 0 else (done.stderr.strip().splitlines() or [f"{command[0]} failed"])[-1]


def swap_off_below(folder):
    """Ends swapping to files in the folder, whoever began it; files in use cannot be removed otherwise."""
    try:
        lines = Path("/proc/swaps").read_text().splitlines()[1:]
    except OSError:
        return
    for line in lines:
        path = line.split()[0].replace("\\040", " ")
        if folder and path.startswith(f"{folder.resolve()}/"):
            _call("swapoff", path)


class SwapFile:
    def __init__(self, path, count):
        self.path, self.count = Path(path), count
        self.error = None

    def __enter__(self):
        try:
            with open(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600), "wb") as file:
                os.posix_fallocate(file.fileno(), 0, self.count)
        except OSError as error:
            self.error = f"no swap file can be made here: {error.strerror}"
            return self
        reason = _call("mkswap", self.path) or _call("swapon", self.path)
        if reason:
            self.error = f"no swap file can be made here: {reason}"
        return self

    def __exit__(self, *_):
        swap_off_below(self.path.parent)
        self.path.unlink(missing_ok=True)
